// Names of fields, as people read them.

const CAPITALS = {
  arp: "ARP", bfd: "BFD", bgp: "BGP", cnp: "CNP", dscp: "DSCP", ecn: "ECN", fec: "FEC", kmax: "Kmax", kmin: "Kmin", lldp: "LLDP", mac: "MAC", macs: "MACs",
  mtu: "MTU", nd: "ND", nic: "NIC", nics: "NICs", pfc: "PFC", roce: "RoCE", vlan: "VLAN",
};

// pfc_pause_frames is "PFC pause frames"; what has other signs is a path or a name, and stays.
export const plain = (field) => (/[^a-z0-9_ ]/.test(field) ? field :
  field.split(/[_ ]/).map((part) => (Object.hasOwn(CAPITALS, part) ? CAPITALS[part] : part)).join(" "));

// Columns of `rocefab show buffer`: name and unit.
const BUFFER = {
  lossless_ports: ["lossless ports", ""],
  headroom_bytes: ["headroom of all lossless groups", "bytes"],
  shared_headroom_bytes: ["shared headroom", "bytes"],
  over_subscription: ["oversubscription of the headroom", ""],
  guaranteed_bytes: ["guaranteed to lossless groups", "bytes"],
  pool_bytes: ["lossless pool", "bytes"],
  buffer_bytes: ["packet buffer", "bytes"],
  free_bytes: ["free", "bytes"],
  ports_fit: ["lossless ports that would fit", ""],
  cable_m_fits: ["longest cable at the ports with the largest headroom", "m"],
  mtu_bytes_fits: ["largest MTU at the ports with the largest headroom", "bytes"],
};

export function bufferRow([field, value], isEstimate) {
  const [label, unit] = BUFFER[field] ?? [plain(field), ""];
  if (value === "-") return [label, null];
  if (/^-\d/.test(value)) return [label, `none: overbooked by ${value.slice(1)} ${unit}`];
  const told = /^[\d,.]+$/.test(value) && unit ? `${value} ${unit}` : value;
  return [label, field === "headroom_bytes" && isEstimate ? `${told} (estimate)` : told];
}

// Lines of `rocefab show cable`: mtu_bytes of 9000 is "MTU" of "9000 bytes". A class that a line is of keeps its name.
const UNITS = { gbps: "Gb/s", m: "m", bytes: "bytes", percent: "%" };

export function setting(item) {
  const [field, ...owner] = item.split(" of ");
  const [, stem, unit] = /^([a-z]+)_(gbps|m|bytes|percent)$/u.exec(field) ?? [null, field, null];
  const told = (value) => (value === "-" ? null : grouped(unit && /^\d+$/u.test(value) ? `${value} ${UNITS[unit]}` : value));
  return { label: [plain(stem), ...owner].join(" of "), told };
}

// Numbers of bytes, as the rest of the page writes them.
export const grouped = (text) => text.replace(/\b\d+(?=(?: to \d+)? bytes\b)/gu, (digits) => Number(digits).toLocaleString("en"));

// A note of a row: fields of the inventory in words, pause_storm_ms as "pause storm".
export const noted = (text) => grouped(text).replace(/\b[a-z]+(?:_[a-z]+)+\b/gu, (field) => plain(field.replace(/_(?:gbps|m|ms|bytes|percent)$/u, "")));

// Fields of requests, as the forms of the page call them.
const ASKED = {
  nodes: "Number of hosts", gpus_per_node: "GPUs per host", traffic: "Traffic", within: "All hosts in", exclude: "Not on these hosts", tenant: "Tenant", fail: "What fails", drain: "Switch to drain",
};

export const asked = (field) => ASKED[field] ?? plain(field);

// What programs are told, and what people who look at the page are told in its place. Names, such as 'node-1', stay.
const SPOKEN = [
  [/; in HTTP, .*$/u, ""],
  [/^GET \/v1\/hosts lists .*$/u, "the map shows the hosts"],
  [/^(?:GET|POST|see|load the page) \/.*$/u, ""],
  [/^`rocefab show (\w+)` lists them$/u, "choose one of the $1"],
  [/^omit the field$/u, "leave it empty"],
  [/^unknown collective /u, "unknown traffic "],
  [/\bGPUs? per node\b/gu, "GPUs per host"],
  [/(?<![\w'".-])node(s?)(?![\w'".-]*['\w[-])/gu, "host$1"],
];

const spoken = (text) => SPOKEN.reduce((now, [sign, words]) => now.replace(sign, words), text);

// A finding of the service in words of the page: what is wrong, and what to do.
export const told = ({ message, fix }) => [message, fix ?? ""].map(spoken).filter(Boolean).join("; ");
