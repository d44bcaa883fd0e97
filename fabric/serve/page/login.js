// The form for a token.

import { keepToken } from "./api.js";
import { make } from "./dom.js";

export function open(main, wasWrong, start) {
  const token = make("input", { id: "token", type: "password", required: true, autocomplete: "off", spellcheck: "false" });
  const form = make("form", {
    class: "card login",
    onsubmit: (event) => {
      event.preventDefault();
      keepToken(token.value.trim());
      start();
    },
  },
  make("h1", {}, "Log in"),
  make("p", {}, "This service needs a token. A token of scope read shows everything. It is kept until this tab is closed."),
  wasWrong && make("p", { class: "problem", role: "alert" }, "The token is not valid."),
  make("label", { for: "token" }, "Token"), token,
  make("button", { class: "main" }, "Log in"));
  main.replaceChildren(form);
  token.focus();
}
