"use strict";
// until the page is ready nothing long is laid out; without JavaScript everything is shown at once
document.documentElement.classList.add("on");
window.addEventListener("error", function () { document.documentElement.classList.add("ready"); });
