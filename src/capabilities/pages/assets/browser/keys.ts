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

// Buttons that copy what stands in an element. They are hidden where no script runs.
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset["copy"] ?? "");
    const text = source instanceof HTMLTextAreaElement || source instanceof HTMLInputElement ? source.value : source?.textContent;
    await navigator.clipboard.writeText(text ?? "");
    const words = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = words;
    }, 1500);
  });
}
