// Requests to the service. A token is kept for this tab, and sent as a header: a page of another
// site cannot let the browser send it.

const KEY = "rocefab-token";
const EVERY_MS = 3000;

export class ProblemError extends Error {
  constructor(status, body) {
    super(body.detail ?? `the service answered ${status}`);
    this.status = status;
    this.findings = body.findings ?? [];
  }
}

export const hasToken = () => sessionStorage.getItem(KEY) !== null;
export const keepToken = (token) => sessionStorage.setItem(KEY, token);
export const dropToken = () => sessionStorage.removeItem(KEY);

async function send(path, options = {}) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem(KEY);
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (answer.ok || answer.status === 304) return answer;
  const body = await answer.json().catch(() => ({}));
  if (answer.status === 401) document.dispatchEvent(new CustomEvent("login", { detail: token !== null }));
  throw new ProblemError(answer.status, body);
}

export const get = async (path) => (await send(path)).json();

export async function post(path, body, { raw = false } = {}) {
  const headers = { "Content-Type": "application/json" };
  return (await send(path, { method: "POST", headers, body: raw ? body : JSON.stringify(body) })).json();
}

export const remove = async (path) => (await send(path, { method: "DELETE" })).json();

export function query(path, filters) {
  const words = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  return words.size ? `${path}?${words}` : path;
}

// Asks again and again while the page is to be seen; an answer that is the same is not sent again.
export function watch(path, take, fail) {
  let tag = null;
  let stopped = false;
  let timer = 0;
  const ask = async () => {
    if (!document.hidden) {
      try {
        const answer = await send(path, { headers: tag === null ? {} : { "If-None-Match": tag } });
        if (!stopped && answer.status !== 304) {
          tag = answer.headers.get("ETag");
          take(await answer.json(), tag);
        } else if (!stopped) take(null, tag);
      } catch (error) {
        if (!stopped) fail(error);
      }
    }
    if (!stopped) timer = setTimeout(ask, EVERY_MS);
  };
  ask();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
