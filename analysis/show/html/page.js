// SPDX-License-Identifier: Apache-2.0
// A page's own script. It draws the charts at the width of the page, and shows a tooltip for the mark or number under
// the cursor, a finger or the keyboard focus. Everything that it writes into the page is text, never HTML.
(() => {
  "use strict";
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);

    // Shows `lines` as a tooltip beside the element `at`.
  function show(lines, at) {
    const first = document.createElement("b");
    first.textContent = lines[0];
        // The evidence of a number has the form "a = 1; b = 2".
    tip.replaceChildren(first, lines.slice(1).join("\n").replaceAll("; ", "\n\u2003").replaceAll(" -> ", " \u2192 "));
    tip.hidden = false;
    const box = at.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - size.width / 2), document.documentElement.clientWidth - size.width - 8);
    const above = box.top - size.height - 8, top = above > 4 ? above : box.bottom + 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  }
  const hide = () => { tip.hidden = true; };

    // Tab stops once at a drawing; arrow keys move between its marks.
  function makeMarks(drawing, kind) {
    for (const group of drawing.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
    const marks = [...drawing.querySelectorAll("[aria-label]")];
    marks.forEach((mark, i) => {
      mark.setAttribute("role", "img");
      mark.setAttribute("tabindex", i === 0 ? "0" : "-1");
      const say = () => show(mark.getAttribute("aria-label").split("\n"), mark);
      mark.addEventListener("pointerenter", say);
      mark.addEventListener("pointerdown", say);
      mark.addEventListener("pointerleave", hide);
      mark.addEventListener("focus", say);
      mark.addEventListener("blur", hide);
      mark.addEventListener("keydown", (event) => {
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
        if (event.key === "Escape") hide();
        if (!step) return;
        event.preventDefault();
        const next = marks[(i + step + marks.length) % marks.length];
        mark.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      });
    });
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-roledescription", "chart");
    drawing.setAttribute("aria-label", kind);
  }

  function draw(figure) {
    const place = figure.querySelector(".drawn");
    const rows = JSON.parse(figure.querySelector("script").textContent);
    const width = Math.max(280, Math.min(place.clientWidth, 960));
    hide();
    place.replaceChildren(...window.culpritDraw(figure.dataset.kind, rows, width));
    makeMarks(place.querySelector("svg"), figure.querySelector("figcaption").textContent);
        // The text on how to read a drawing is hidden until there is one.
    figure.querySelector(".reading").hidden = false;
  }

  if (window.culpritDraw) {
    for (const figure of document.querySelectorAll("figure.chart")) {
      const place = figure.querySelector(".drawn");
            // A folded section has no width yet: the observer is called again when it opens.
      const follow = new ResizeObserver(() => {
        if (place.clientWidth > 0 && Math.abs(place.clientWidth - (place.dataset.of || 0)) > 1) {
          place.dataset.of = place.clientWidth;
          draw(figure);
        }
      });
      follow.observe(place);
      figure.querySelector(".numbers").open = false;
    }
  }

    // A touch screen has no cursor to hover over a number, so a tap shows its title.
  document.addEventListener("click", (event) => {
    const number = event.target.closest("[title]");
    if (number) show([number.textContent, number.title], number);
    else if (!event.target.closest(".drawn [aria-label]")) hide();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

    // A link to a folded section opens it.
  for (const link of document.querySelectorAll("nav a"))
    link.addEventListener("click", () => { const to = document.querySelector(link.hash); if (to.tagName === "DETAILS") to.open = true; });

    // Elements wider than the page can be scrolled by the keyboard, too.
  for (const wide of document.querySelectorAll(".scroll"))
    if (wide.scrollWidth > wide.clientWidth + 1) {
      wide.tabIndex = 0;
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", wide.querySelector("caption")?.textContent || "table");
    }
})();
