// A slider below the dots of a module's versions leads to one of them.
for (const list of document.querySelectorAll<HTMLOListElement>("ol[data-slide]")) {
  const links = [...list.querySelectorAll("a")];
  const place = links.findIndex((link) => link.hasAttribute("aria-current"));
  if (links.length < 3 || place < 0) continue;
  const slider = Object.assign(document.createElement("input"), { type: "range", min: "0", max: `${links.length - 1}`, value: `${place}` });
  const chosen = (): HTMLAnchorElement => links[Number(slider.value)] as HTMLAnchorElement;
  const name = (): void => slider.setAttribute("aria-valuetext", chosen().title);
  slider.setAttribute("aria-label", list.dataset["slide"] ?? "");
  name();
  slider.addEventListener("input", () => {
    name();
    slider.title = chosen().title;
  });
  slider.addEventListener("change", () => {
    location.href = chosen().href;
  });
  // Its knob stands below the dot of its version: each dot is in the middle of an equal part.
  slider.style.inlineSize = `calc(${100 - 100 / links.length}% + 1rem)`;
  list.after(slider);
}
