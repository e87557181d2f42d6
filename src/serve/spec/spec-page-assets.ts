/** The page's style: light or dark as the reader's system is; nothing is fetched. */
export const specStyle = `
:root{color-scheme:light dark;--line:light-dark(#d5dae1,#39414d);--soft:light-dark(#f4f6f9,#1c222b);--dim:light-dark(#5a6675,#9aa7b7);--get:light-dark(#0b6b3a,#5fd394)}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem 1rem 4rem;background:light-dark(#fff,#12161c);color:light-dark(#1a212b,#e3e8ef)}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0}
code,pre,input,.path{font-family:ui-monospace,monospace;font-size:.92em}
a{color:inherit}.dim{color:var(--dim)}
details{border:1px solid var(--line);border-radius:8px;margin:.5rem 0;background:var(--soft)}
summary{cursor:pointer;padding:.6rem .8rem;display:flex;gap:.7rem;flex-wrap:wrap;align-items:baseline}
summary b{color:var(--get);font-size:.8rem}summary .dim{margin-left:auto}
.inside{padding:0 .8rem .8rem}form{margin-bottom:.8rem}
.scroll{overflow-x:auto}
.path,summary .dim,code{overflow-wrap:anywhere}.d1{margin-left:1rem}.d2{margin-left:2rem}.d3{margin-left:3rem}.d4{margin-left:4rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.35rem .7rem .35rem 0;border-top:1px solid var(--line)}
form{display:grid;gap:.5rem}label{display:grid;grid-template-columns:10rem 1fr;gap:.2rem .7rem;align-items:center}label small{grid-column:2;color:var(--dim)}
input,select,button{font:inherit;padding:.3rem .5rem;border:1px solid var(--line);border-radius:6px;background:light-dark(#fff,#0e1217);color:inherit;min-width:0}
button{justify-self:start;padding:.35rem 1.2rem;cursor:pointer;font-weight:600}
pre{overflow:auto;max-height:24rem;padding:.7rem;margin:.5rem 0 0;border:1px solid var(--line);border-radius:6px;background:light-dark(#fff,#0e1217);white-space:pre-wrap;overflow-wrap:anywhere}
@media(max-width:40rem){label{grid-template-columns:1fr}label small{grid-column:1}summary .dim{margin-left:0;width:100%}.scroll table{min-width:36rem}}
`;

/** The page's script: shows the line for curl, sends a form's request to this service and shows the answer as text. */
export const specScript = `
const most = 20000;
// The page lies at …/v1/spec: the path before /v1 is the proxy's.
const base = location.pathname.replace(/\\/v1\\/spec$/, "");
const urlOf = (form) => {
  const values = new FormData(form);
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input")) {
    const value = values.get(input.name).trim();
    if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(value));
    else if (value !== "") query.set(input.name, value);
  }
  return { url: base + path + (query.size ? "?" + query : ""), accept: values.get("accept") };
};
const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
for (const form of document.querySelectorAll("form")) {
  const showCurl = () => {
    const { url, accept } = urlOf(form);
    const bcs = accept === "application/x-bcs" ? " -H 'accept: application/x-bcs' -o answer.bcs" : "";
    form.querySelector(".curl").textContent = "curl -s" + bcs + " " + quoted(location.origin + url);
  };
  showCurl();
  form.querySelector("button").hidden = false;
  form.addEventListener("input", showCurl);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
async function send(form) {
  const output = form.querySelector(".answer");
  const { url, accept } = urlOf(form);
  output.hidden = false;
  output.textContent = "…";
  try {
    const answer = await fetch(url, accept ? { headers: { accept } } : {});
    const body = new Uint8Array(await answer.arrayBuffer());
    const type = answer.headers.get("content-type") || "";
    const text = show(type, body);
    const headers = [...answer.headers].map(([name, value]) => name + ": " + value).join("\\n");
    output.textContent = "GET " + url + "\\n\\n" + answer.status + " " + answer.statusText + "\\n" + headers + "\\n\\n" +
      (text.length > most ? text.slice(0, most) + "\\n… " + (text.length - most) + " more characters" : text);
  } catch (error) { output.textContent = "GET " + url + "\\n\\nno answer: " + error.message; }
}
function show(type, body) {
  if (type.startsWith("application/x-bcs")) return body.length + " bytes\\n" + Array.from(body.subarray(0, 4000), (it) => it.toString(16).padStart(2, "0")).join(" ");
  const text = new TextDecoder().decode(body);
  try { return type.startsWith("application/json") ? JSON.stringify(JSON.parse(text), null, 2) : text; } catch { return text; }
}
fetch(base + "/v1/snapshots?limit=5").then((it) => it.json()).then(({ snapshots }) => {
  document.querySelector("#held").textContent = snapshots.length === 0 ? "Nothing is sealed yet." :
    "Newest sealed ledger versions: " + snapshots.map((it) => it.ledger_version).join(", ") + ".";
}).catch(() => {});
`;
