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
