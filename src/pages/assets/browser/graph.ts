// In the drawing of dependencies, the lines of the box under the pointer stand out.
for (const drawing of document.querySelectorAll(".graph svg")) {
  const show = (box: string | undefined): void => {
    drawing.classList.toggle("near", box !== undefined);
    for (const line of drawing.querySelectorAll("path"))
      line.classList.toggle("on", box !== undefined && (line.dataset["ends"] ?? "").split(" ").includes(box));
  };
  for (const box of drawing.querySelectorAll<SVGAElement>("a[data-box]")) {
    for (const event of ["pointerenter", "focus"]) box.addEventListener(event, () => show(box.dataset["box"]));
    for (const event of ["pointerleave", "blur"]) box.addEventListener(event, () => show(undefined));
  }
}
