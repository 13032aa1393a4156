// SPDX-License-Identifier: Apache-2.0
// A page's own script: lets the charts be drawn as wide as there is room, and says what a mark or a number rests on where
// the cursor, a finger or the keyboard is. Everything that it writes into the page is text, never HTML.
(() => {
  "use strict";
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "tooltip");
  document.body.append(tip);

  // `lines`: what is said; `at`: beside what.
  function show(lines, at) {
    const first = document.createElement("b");
    first.textContent = lines[0];
    // What a number rests on comes as "a = 1; b = 2".
    tip.replaceChildren(first, lines.slice(1).join("\n").replaceAll("; ", "\n\u2003").replaceAll(" -> ", " \u2192 "));
    tip.hidden = false;
    const box = at.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - size.width / 2), document.documentElement.clientWidth - size.width - 8);
    const above = box.top - size.height - 8, top = above > 4 ? above : box.bottom + 8;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  }
  const hide = () => { tip.hidden = true; };

  // The marks of a drawing are one stop of the Tab key; arrows go from one to the next.
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
    // How to read a drawing is of use where there is one.
    figure.querySelector(".reading").hidden = false;
  }

  if (window.culpritDraw) {
    for (const figure of document.querySelectorAll("figure.chart")) {
      const place = figure.querySelector(".drawn");
      // In what is folded there is no width yet: the observer comes back when it is opened.
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

  // A finger has no cursor that could rest on a number.
  document.addEventListener("click", (event) => {
    const number = event.target.closest("[title]");
    if (number) show([number.textContent, number.title], number);
    else if (!event.target.closest(".drawn [aria-label]")) hide();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // A link to what is folded opens it.
  for (const link of document.querySelectorAll("nav a"))
    link.addEventListener("click", () => { const to = document.querySelector(link.hash); if (to.tagName === "DETAILS") to.open = true; });

  // What is wider than the page is scrolled by the keyboard as well.
  for (const wide of document.querySelectorAll(".scroll"))
    if (wide.scrollWidth > wide.clientWidth + 1) {
      wide.tabIndex = 0;
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", wide.querySelector("caption")?.textContent || "table");
    }
})();
