// `/` leads to the search field, Escape leaves a field, and Ctrl or Command with Enter sends the form of a long text.
const isTyping = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if (key === "Enter" && target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
    return;
  }
  if (key === "/" && !isTyping(target)) {
    event.preventDefault();
    const field = document.querySelector<HTMLInputElement>(".find input");
    field?.focus();
    field?.select();
  }
  if (key === "Escape" && isTyping(target)) target.blur();
});
