// What fails in a picture: of each box how many devices, and of each line how many cables.

import { load } from "./device.js";

// Words of the command: the device that has the cables, and which of its ports they are.
const FORMS = [
  [/^(?:(?:switch|host):)?([^:]+)$/u, () => true],
  [/^cable-bundle:([^:]+):(.+)$/u, ({ peer }, other) => peer === other],
  [/^(?:link:)?([^:]+):(.+)$/u, ({ port }, name) => port === name],
];

// Devices and cables that a word takes down; none of what is not in the picture.
export async function broken({ boxes }, word) {
  const [shape, isMeant] = FORMS.find(([pattern]) => pattern.test(word)) ?? FORMS[0];
  const [, device, rest] = shape.exec(word) ?? [];
  if (!boxes.some(({ members }) => members.includes(device))) return { devices: [], cables: [] };
  const ports = (await load(device)).planned.ports.filter((port) => port.peer && isMeant(port, rest));
  return { devices: rest === undefined ? [device] : [], cables: ports.map((port) => [[device, port.port], [port.peer, port.peer_port]]) };
}

// Whether a box shares a line with others: then its cables are a part of the line.
export const hasComb = ({ lines }, number) => lines.some(({ lower }) => lower.length > 1 && lower.includes(number));

export class Failing {
  // Each of `things` has devices, cables by their two ends, and lines that fail as a whole.
  constructor({ boxes, lines }, things) {
    this.devices = new Set(things.flatMap(({ devices }) => devices));
    this.boxes = boxes.map(({ members }) => members.filter((name) => this.devices.has(name)).length);
    const whole = new Set(things.flatMap((thing) => thing.lines));
    const isGone = (number) => this.boxes[number] === boxes[number].members.length;
    const parts = counts({ boxes, lines }, things.flatMap(({ cables }) => cables));
    this.lines = lines.map(({ lower, upper, cables }, number) => (whole.has(number) || isGone(upper) || lower.every(isGone) ? cables : parts[number]));
  }
}

// Of each line, how many of some cables it stands for; a cable counts once, whichever end comes first.
function counts({ boxes, lines }, cables) {
  const boxOf = new Map(boxes.flatMap(({ members }, number) => members.map((name) => [name, number])));
  const lineOf = new Map(lines.flatMap(({ lower, upper }, number) => lower.flatMap((low) => [[`${low} ${upper}`, number], [`${upper} ${low}`, number]])));
  const sums = lines.map(() => 0);
  for (const ends of new Map(cables.map((pair) => [pair.map((end) => end.join(" ")).sort().join(" "), pair])).values()) {
    const line = lineOf.get(ends.map(([device]) => boxOf.get(device)).join(" "));
    if (line !== undefined) sums[line] += 1;
  }
  return sums;
}
