/** Tables whose rows become paragraphs: the last cell, and all from the fourth on, have a line of their own. */
const stacked = (of: string): string =>
  `${of} :is(table,tbody,tr){display:block}${of} thead{display:none}${of} tr{padding:.5rem 0;border-bottom:1px solid var(--line)}${of} td{display:inline;border:0;padding:0 .5rem 0 0}${of} td:is(:last-child,:nth-child(n+4)){display:block}${of} td:last-child{color:var(--dim)}${of} :is(.mid-cell,.wide-cell){min-width:0;overflow-wrap:anywhere}${of} .part{display:inline}`;

/** The pages' style: light or dark as the reader's system is, from a phone to a wide screen; nothing is fetched. */
export const pageStyle = `
:root{color-scheme:light dark;
--bg:light-dark(#fff,#0f1318);--soft:light-dark(#f5f7f9,#171d24);--line:light-dark(#dfe4ea,#2b3440);--text:light-dark(#1b232d,#dfe6ee);--dim:light-dark(#566372,#98a6b5);
--link:light-dark(#0b6259,#5cc9b8);--accent:light-dark(#0f766e,#2dd4bf);--mark:light-dark(#fff3c4,#4a3d10);--shade:light-dark(#1b232d2b,#98a6b53d);
--breaking:light-dark(#b3261e,#ff8a80);--breaking-bg:light-dark(#fdeceb,#3b1a18);--dangerous:light-dark(#8a5300,#f5b44c);--dangerous-bg:light-dark(#fff4de,#38290d);
--safe:light-dark(#1c6b3c,#6fd39a);--safe-bg:light-dark(#e7f6ed,#12301f);--silent:light-dark(#566372,#98a6b5);--silent-bg:light-dark(#eef1f4,#222a34);
--add:light-dark(#e3f6e8,#12331f);--add-mark:light-dark(#b5e6c3,#1d5a35);--del:light-dark(#fde8e7,#3d1917);--del-mark:light-dark(#f7bfbb,#6b2622);
--kw:light-dark(#8b2c8f,#d79adb);--ty:light-dark(#0b6259,#5cc9b8);--nu:light-dark(#8a5300,#e8b563);--co:light-dark(#5d6b7a,#8896a6);--at:light-dark(#7a4b00,#d6a95c);
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:break-word}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}p a:not(.button,.mono,.brand){text-decoration:underline;text-decoration-color:color-mix(in srgb,currentColor 45%,transparent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
main:focus{outline:none}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;z-index:9;background:var(--bg);padding:.4rem .8rem;border:1px solid var(--accent)}
.scroll,.diff,.source,.cells,.graph,.strip li{position:relative}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.top{border-bottom:1px solid var(--line);background:var(--soft)}
.bar{max-width:80rem;margin:0 auto;padding:.55rem 1.25rem;display:flex;gap:.6rem 1.1rem;align-items:center;flex-wrap:wrap}
.brand{font-weight:650;color:var(--text);display:flex;gap:.45rem;align-items:center;font-size:1.05rem}.brand svg{width:1.05rem;height:1.05rem;fill:var(--accent)}
.brand:hover{text-decoration:none}
.chain{color:var(--dim);font-size:.85rem;border:1px solid var(--line);border-radius:99px;padding:.05rem .6rem;background:var(--bg);white-space:nowrap}
.find{flex:1 1 16rem;position:relative;max-width:34rem}
.find input{width:100%;padding:.38rem 2.2rem .38rem .75rem;border:1px solid var(--line);border-radius:7px;background:var(--bg);color:inherit;font:inherit}
.find kbd{position:absolute;right:.55rem;top:50%;translate:0 -50%;font:12px var(--mono);color:var(--dim);border:1px solid var(--line);border-radius:4px;padding:0 .35rem;pointer-events:none}
.find input:focus+kbd{display:none}.find ul{position:absolute;z-index:5;left:0;min-width:100%;width:max-content;max-width:34rem;top:calc(100% + 4px);margin:0;padding:.3rem;list-style:none;background:var(--bg);border:1px solid var(--line);border-radius:8px;box-shadow:0 6px 20px light-dark(#0002,#0008)}.find ul li{padding:.3rem .5rem;border-radius:5px;cursor:pointer;font:.85rem var(--mono);overflow-wrap:anywhere}.find ul li:hover,.find ul li[aria-selected]{background:var(--soft);outline:1px solid var(--line)}
nav{display:flex;gap:.15rem}
.top nav{margin-left:auto}
.top nav a{padding:.3rem .6rem;border-radius:6px;color:var(--dim)}.top nav a:hover{background:var(--line);text-decoration:none}.top nav a[aria-current]{color:var(--text);font-weight:600}
main{max-width:80rem;margin:0 auto;padding:1.6rem 1.25rem 3rem}
footer{max-width:80rem;margin:0 auto;padding:1rem 1.25rem 2rem;color:var(--dim);font-size:.85rem;border-top:1px solid var(--line)}
h1{font-size:1.65rem;line-height:1.25;margin:0 0 .3rem;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h1 .dim{font-weight:400}
h1.mono{font-size:1.12rem}
h2{font-size:1.08rem;margin:2.2rem 0 .6rem;font-weight:650;display:flex;gap:.8rem;align-items:baseline;flex-wrap:wrap}
h3{font-size:.95rem;margin:1.3rem 0 .35rem;font-weight:650}
h2 .small,h3 .dim,h2>.dim{font-weight:400}h2 .more,h3 .more{margin-left:auto;font-weight:400;font-size:.88rem}
h2,h3,p,li,summary,b{overflow-wrap:anywhere}p{margin:.35rem 0}main>p{max-width:60rem}.lead{font-size:1.06rem}.dim{color:var(--dim)}.small{font-size:.87rem}
.mono,code,pre,.num{font-family:var(--mono);font-size:.925em}.num,.amount{font-variant-numeric:tabular-nums;white-space:nowrap}
code{overflow-wrap:anywhere}
b,strong{font-weight:650}
.nothing{color:var(--dim);border:1px dashed var(--line);border-radius:8px;padding:.8rem 1rem}
.crumbs{color:var(--dim);font-size:.88rem;margin-bottom:.5rem;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:1px;margin:1.3rem 0 0;border:1px solid var(--line);border-radius:10px;overflow:hidden}
.figures div{box-shadow:0 0 0 1px var(--line);padding:.75rem .85rem;display:flex;flex-direction:column-reverse;justify-content:flex-end}
.figures dt{color:var(--dim);font-size:.85rem}.figures dd{margin:0;white-space:nowrap;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
svg.horizon{width:100%;height:60px;display:block;margin:.4rem 0 .7rem;overflow:visible}
.horizon text{font:11px var(--mono);fill:var(--dim)}.horizon .gone{fill:var(--line)}.horizon .readable{fill:var(--accent);opacity:.35}.horizon .doomed{fill:var(--dangerous);opacity:.75}.horizon .held{stroke:var(--text);stroke-width:1.5;opacity:.7}.horizon .edge{stroke:var(--breaking);stroke-width:2}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1rem 1.6rem}.charts figure{margin:0;display:flex;flex-direction:column;justify-content:flex-end}.charts figcaption{font-size:.9rem}.charts svg{width:100%;height:5.5rem;display:block;border-bottom:1px solid var(--line)}.charts polyline{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}.charts .all{fill:var(--accent);opacity:.55}.charts .worst{fill:var(--breaking)}.charts .ends{margin:.1rem 0 0}
.strip{list-style:none;display:flex;flex-wrap:wrap;gap:3px;margin:.4rem 0;padding:0}
.strip li{flex:1 1 0;min-width:1.5rem;max-width:1.5rem;height:1.7rem;border-radius:3px;background:var(--silent-bg);border:1px solid transparent}
.strip li a{display:block;width:100%;height:100%;border-radius:2px}
.legend{display:flex;gap:1.1rem;flex-wrap:wrap;color:var(--dim);font-size:.85rem}
.key{display:inline-flex;gap:.4rem;align-items:center}.key::before{content:"";width:.8rem;height:.8rem;border-radius:3px;background:var(--fill,var(--line))}
.strip .done,.key.done{--fill:var(--accent)}.strip .gaps,.key.gaps{--fill:light-dark(#d99a2b,#b07a1c)}.strip .lost,.key.lost{--fill:light-dark(#c0392b,#d9534a)}.strip .stale,.key.stale{--fill:light-dark(#a9b4c0,#5b6875)}.strip .failed,.key.failed{--fill:light-dark(#6d2b2b,#f0a09a)}.strip .open,.key.open{--fill:light-dark(#7d8fd6,#6f83d8)}
.strip li{background:var(--fill)}.strip .none{background:none;border:1px dashed var(--dim)}.key.none::before{background:none;border:1px dashed var(--dim)}.map .break path{fill:var(--breaking)}.map .stale path{fill:light-dark(#7d8894,#8b99a8)}.map .lost path{fill:light-dark(#c0392b,#d9534a)}.map .failed path{fill:light-dark(#6d2b2b,#f0a09a)}.key.break{--fill:var(--breaking)}.key.break::before{clip-path:polygon(50% 0,100% 100%,0 100%)}.key.point::before{rotate:45deg;scale:.75;border-radius:1px}.map .planned{fill:none;stroke:var(--dim);stroke-dasharray:2 2}.key.planned::before{background:none;border:1px dashed var(--dim)}.map text.gone{fill:var(--breaking)}
.tag{display:inline-block;justify-self:start;font-size:.78rem;line-height:1.5;border-radius:5px;padding:0 .5rem;font-weight:600;white-space:nowrap;color:var(--dim);background:var(--silent-bg)}
.tag.breaking{color:var(--breaking);background:var(--breaking-bg)}.tag.dangerous{color:var(--dangerous);background:var(--dangerous-bg)}.tag.behaviour{color:var(--link);background:var(--silent-bg)}.tag.safe{color:var(--safe);background:var(--safe-bg)}
.refused{color:var(--breaking)}
.changes{list-style:none;margin:.6rem 0;padding:0;border-top:1px solid var(--line)}
.mono,.num{overflow-wrap:anywhere}.changes li{display:grid;grid-template-columns:6rem minmax(0,1fr) auto;gap:.2rem 1rem;padding:.55rem .2rem;border-bottom:1px solid var(--line);align-items:baseline}
.changes p{margin:0}.changes .release{grid-template-columns:6rem minmax(0,1fr)}.changes details{margin:.3rem 0 0}.changes .when{text-align:right;display:flex;gap:.5rem;align-items:baseline;font-size:.9rem}
main:has(>.wide),body:has(main>.wide) :is(.bar,footer){max-width:108rem}.beside{display:grid;grid-template-columns:minmax(19rem,24rem) minmax(0,1fr);gap:1.8rem;align-items:start}.beside h2{margin-top:1rem}.beside>section:first-child{position:sticky;top:.6rem;max-height:calc(100vh - 1.2rem);overflow-y:auto;padding-right:.4rem}.plan td{white-space:pre-wrap;font-family:var(--mono);font-size:.87rem}
.filters .box{display:flex;gap:.4rem;align-items:center;padding-bottom:.35rem;color:var(--text)}.filters select{max-width:12.5rem;text-overflow:ellipsis}.filters input:not([type=checkbox]),.filters select{min-height:2.2rem}
.diff col.ln{width:3.2rem}
.scroll,.graph{overflow-x:auto;background:linear-gradient(90deg,var(--bg) 40%,transparent) local 0/2.5rem 100% no-repeat,linear-gradient(270deg,var(--bg) 40%,transparent) local 100%/2.5rem 100% no-repeat,linear-gradient(90deg,var(--shade),transparent) 0/.8rem 100% no-repeat,linear-gradient(270deg,var(--shade),transparent) 100%/.8rem 100% no-repeat}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.42rem 1rem .42rem .2rem;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--dim);font-size:.84rem;vertical-align:bottom}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--accent)}th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
td.r,th.r{text-align:right}td .mono,td .num,td code,td b{overflow-wrap:normal}td .wide-cell{overflow-wrap:anywhere}
.short-cell,time,.unit{white-space:nowrap}.part{display:block}.mid-cell,.wide-cell{display:inline-block;min-width:9rem;max-width:44rem}.wide-cell{min-width:12rem}.mono.wide-cell{min-width:20rem}
pre{margin:0;tab-size:4;line-height:1.5}
.split{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:2.2rem;align-items:start}
.side h2{margin-top:1.4rem;font-size:.98rem}.side h2:first-child{margin-top:0}.side ul{list-style:none;margin:.2rem 0;padding:0}.side li{padding:.13rem 0;overflow-wrap:anywhere}
.side{font-size:.93rem}
.source{border:1px solid var(--line);border-radius:10px;background:var(--soft);overflow-x:auto;padding:.9rem 0;font-size:.86rem}
.source pre{padding:0 1.1rem;width:max-content;min-width:100%}
.source a{color:inherit;text-decoration:underline;text-decoration-color:color-mix(in srgb,currentColor 35%,transparent);text-underline-offset:2px}.source a:hover{text-decoration-color:currentColor}
.source .def{text-decoration:none;font-weight:600}.source .def:target,.hit:target{background:var(--mark)}
.kw{color:var(--kw)}.ty{color:var(--ty)}.nu{color:var(--nu)}.co{color:var(--co)}.at{color:var(--at)}
.tabs{display:flex;flex-wrap:wrap;gap:.35rem .5rem;margin:.9rem 0;align-items:center}
[hidden]{display:none!important}
.button,button{font:inherit;font-size:.9rem;padding:.28rem .8rem;border:1px solid var(--line);border-radius:7px;background:var(--bg);color:var(--text);cursor:pointer;display:inline-block}
.button:hover,button:hover{background:var(--soft);text-decoration:none}.button[aria-current]{background:var(--accent);border-color:var(--accent);color:light-dark(#fff,#06201d)}
button.primary{background:light-dark(#0b6259,#2dd4bf);border-color:transparent;color:light-dark(#fff,#06201d);font-weight:600}
input,select,textarea{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:7px;padding:.3rem .6rem;max-width:100%}
textarea{width:100%;font:13.5px/1.5 var(--mono);min-height:9rem;resize:vertical}
label{font-size:.88rem;color:var(--dim)}
.filters{display:flex;flex-wrap:wrap;gap:.6rem .9rem;align-items:end;margin:1rem 0;padding:.8rem 1rem;background:var(--soft);border:1px solid var(--line);border-radius:10px}
.filters label{display:grid;gap:.15rem}
.versions{display:block;border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem;margin:1rem 0}.versions .ends{display:flex;justify-content:space-between;align-items:center;gap:.6rem;flex-wrap:wrap}
.dots{list-style:none;display:flex;margin:.7rem 0 .5rem;padding:0;position:relative}.dots::before{content:"";position:absolute;left:0;right:0;top:50%;border-top:2px solid var(--line)}
.dots li{flex:1 1 0;min-width:0;display:flex;justify-content:center;position:relative}.dots a{display:block;width:100%;max-width:1.6rem;height:1.5rem;display:grid;place-items:center;position:relative}
.dots a::before{content:"";width:min(.72rem,80%);aspect-ratio:1;border-radius:50%;background:var(--bg);border:2px solid var(--dim)}.dots .interface a::before{background:var(--dim)}.dots a:hover::before{border-color:var(--accent)}
.dots a[aria-current]::before{background:var(--accent);border-color:var(--accent);outline:3px solid color-mix(in srgb,var(--accent) 30%,transparent)}
.versions form{display:flex;flex-wrap:wrap;gap:.4rem .6rem;align-items:center}.versions form .small{margin-left:auto}.mark{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;border:2px solid var(--dim);margin-left:.6rem}.mark.full{background:var(--dim)}.versions input[type=range]{display:block;width:100%;margin:.2rem auto;accent-color:var(--accent);padding:0}.button.off{color:var(--dim);opacity:.6;cursor:default}h2.since{margin-top:.2rem}
.timeline{list-style:none;margin:.3rem 0;padding:0;border-left:2px solid var(--line)}
.timeline li{position:relative;padding:.1rem 0 .55rem 1rem}.timeline li::before{content:"";position:absolute;left:-.39rem;top:.5rem;width:.62rem;height:.62rem;border-radius:50%;background:var(--bg);border:2px solid var(--dim)}
.timeline li.now::before{background:var(--accent);border-color:var(--accent)}
.notice{border-left:3px solid var(--dangerous);background:var(--dangerous-bg);padding:.5rem .9rem;border-radius:0 7px 7px 0;margin:.8rem 0}
.notice.bad{border-color:var(--breaking);background:var(--breaking-bg)}
.findings{list-style:none;margin:.5rem 0;padding:0}
.findings li{border:1px solid var(--line);border-left:4px solid var(--c,var(--dim));border-radius:0 8px 8px 0;padding:.55rem .9rem;margin:.5rem 0;background:var(--bg)}
.findings li:target{box-shadow:0 0 0 2px var(--accent)}
.findings .breaking{--c:var(--breaking)}.findings .dangerous{--c:var(--dangerous)}.findings .behaviour{--c:var(--link)}.findings .safe{--c:var(--safe)}
.findings p{margin:.1rem 0}.findings .link{float:right;color:var(--dim)}
.findings .was,.findings .is{display:block;font-size:.86rem;padding:.12rem .5rem;border-radius:4px;margin-top:.25rem;white-space:pre-wrap;overflow-wrap:anywhere}
.was{background:var(--del)}.is{background:var(--add)}
.diff{border:1px solid var(--line);border-radius:10px;overflow-x:auto;font-size:.84rem}
.diff table{font:inherit;table-layout:fixed;border-collapse:collapse;font-family:var(--mono);min-width:50rem}
.diff td{border:0;padding:0 .5rem;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.55}
.diff a{text-decoration:underline;text-decoration-color:color-mix(in srgb,currentColor 35%,transparent);text-underline-offset:2px}
.diff .ln{width:3.4rem;text-align:right;color:var(--dim);user-select:none;padding:0 .5rem;font-size:.9em}
.diff .del{background:var(--del)}.diff .add{background:var(--add)}.diff .none{background:var(--soft)}
.diff .fold>summary,.diff p.fold{background:var(--soft);color:var(--dim);padding:.15rem .6rem;margin:0;font-size:.95em}.diff h3{margin:0;padding:.3rem .6rem;font:600 .95em var(--mono);border-top:1px solid var(--line)}.diff>:first-child{border-top:0}.diff h3 a{color:inherit;text-decoration:none}.diff .code>summary{padding:.15rem .6rem;color:var(--dim)}
.diff mark{background:none;color:inherit;border-radius:3px}.diff .del mark{background:var(--del-mark)}.diff .add mark{background:var(--add-mark)}
.map svg{display:block}
.map{display:flex;border:1px solid var(--line);border-radius:10px;padding:.8rem;background:var(--bg)}.map>svg{flex:none}
.cells{flex:1;min-width:0;overflow-x:auto;direction:rtl}.fill{direction:ltr;position:relative;width:max-content;min-width:100%;padding:0 5px}.fill>svg+svg{position:absolute;left:5px;top:0;width:calc(100% - 10px);overflow:visible}.fill rect:not(.never,.planned){stroke:var(--bg);stroke-width:2}
.map text{font:11px var(--mono);fill:var(--dim)}.map a text{fill:var(--link)}
.map .read{fill:var(--accent)}.map .gap{fill:light-dark(#d99a2b,#b07a1c)}.map .inferred{fill:var(--accent);opacity:.35}.map .never{fill:var(--line);opacity:.55}.map .edge{stroke:var(--breaking);stroke-width:1.5;stroke-dasharray:4 3}.map .soon{stroke:var(--dangerous);stroke-width:1.5;stroke-dasharray:2 3}
.key.read{--fill:var(--accent)}.key.gap{--fill:light-dark(#d99a2b,#b07a1c)}.key.inferred{--fill:color-mix(in srgb,var(--accent) 35%,transparent)}.key.never{--fill:var(--line)}
.scroll{margin:.5rem 0}.graph{padding:.8rem;border:1px solid var(--line);border-radius:10px}.graph svg{display:block;margin:auto}.graph text{font:12px var(--mono);fill:var(--text)}.graph rect{fill:var(--soft);stroke:var(--line)}.graph path{fill:none;stroke:var(--dim);opacity:.55}.graph a:hover rect,.graph a:focus rect{stroke:var(--accent);stroke-width:2}.graph .implied{display:none}.graph svg.near path{opacity:.08}.graph svg.near path.on{display:inline;opacity:1;stroke:var(--accent);stroke-width:1.6}
.hits{list-style:none;padding:0;margin:.5rem 0}.hits li{padding:.55rem 0;border-bottom:1px solid var(--line)}.hits li{padding-left:4.8rem}.hits p{margin:0}.hits .kind{margin-left:-4.8rem;width:4.55rem}.hits code,.hits .words{color:var(--dim);font-size:.85rem;display:block;overflow:hidden;text-overflow:ellipsis}.hits .words{font-size:.9rem}.hits .words code{display:inline}
.kind{font-size:.78rem;color:var(--dim);display:inline-block;min-width:4.4rem}
.facets{max-width:30rem;margin:.5rem 0 1.6rem}.facets+p{margin-top:-1.2rem}.params{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.6rem;margin:.6rem 0}.params label{display:grid;gap:.15rem;align-content:end}
details>summary{cursor:pointer;color:var(--link);padding:.15rem 0;min-height:1.6rem}details[open]>summary{margin-bottom:.3rem}
.cols{columns:15rem;column-gap:1.5rem}.cols>*{break-inside:avoid}
.plain{padding-left:0;list-style:none}.curve{margin:1rem 0}.curve svg{width:100%;height:6rem;display:block}.curve polyline{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}
.chart{margin:1rem 0;max-width:50rem}.chart svg{width:100%;display:block}.chart .line{height:15rem;margin:.5rem 0;overflow:visible}.chart rect{fill:var(--accent)}.chart polyline{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}.chart line{stroke:var(--line);vector-effect:non-scaling-stroke}.chart text{font:12px var(--mono);fill:var(--text)}.chart text .dim{fill:var(--dim)}.ends{display:flex;justify-content:space-between;gap:1rem}
.pager{display:flex;gap:.6rem;margin:1rem 0}
@media(max-width:60rem){.diff table{min-width:0}.diff table,.diff tbody{display:block}.diff tr{display:grid;grid-template-columns:2.6rem minmax(0,1fr)}.diff .none,.diff .same td:nth-child(-n+2){display:none}.diff .ln{width:auto;padding:0 .3rem}}
@media(max-width:78rem){.beside{grid-template-columns:minmax(0,1fr)}.beside>section:first-child{position:static;max-height:none}}
@media(max-width:62rem){.split{grid-template-columns:minmax(0,1fr);gap:1rem}.chain{display:none}.find{flex-basis:10rem}table{font-size:.87rem}th,td{padding-right:.3rem}th{font-size:.77rem}.mid-cell{min-width:7.5rem}.side .list{columns:13rem;column-gap:1.5rem}.side ul:has(>li>.mono){columns:17rem;column-gap:1.5rem}${stacked(".stack")}.changes li{grid-template-columns:6rem minmax(0,1fr)}.changes .when{grid-column:2;justify-content:flex-start;text-align:left}}
@media(max-width:44rem){${stacked(".narrow")}.strip li{min-width:1.5rem}.map{padding:.5rem}.versions .ends .dim{order:3;flex-basis:100%}body{font-size:15px}.bar{padding:.5rem .9rem}main{padding:1.1rem .9rem 2rem}.bar{position:relative}.find{position:static;max-width:none}.find kbd{display:none}.find ul{left:.9rem;right:.9rem;width:auto;min-width:0}.top nav{margin:0 -.45rem;flex-basis:100%;overflow-x:auto}.top nav a{padding:.3rem .45rem}footer{padding:1rem .9rem 2rem}.filters label:not(.box){flex:1 1 8rem}.filters label:not(.box):has(select){flex-basis:12rem}.hits li{padding-left:0}.hits .kind{margin-left:0}.keys{display:none}.filters :is(input:not([type=checkbox]),select){width:100%;max-width:none}
.changes li,.changes .release{grid-template-columns:minmax(0,1fr)}.changes .when{grid-column:1}h1{font-size:1.35rem}.figures{grid-template-columns:1fr 1fr}.figures div:last-child:nth-child(odd){grid-column:1/-1}.figures dd{font-size:1.15rem}}
@media(scripting:none){.keys,.find kbd{display:none}}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{:root{color-scheme:light;--shade:transparent}*{print-color-adjust:exact}.map{zoom:.75}.top,footer,.tabs,.filters,.skip,button,.button,.keys,.versions form,.versions input[type=range],details:has(form),.notice p:has(.button),.side:has(>.list){display:none}.source,.diff,.scroll,.graph,.map,.cells{overflow:visible}.beside>section:first-child{position:static;max-height:none;overflow:visible}.source pre{white-space:pre-wrap;width:auto;min-width:0}.graph svg{max-width:100%;height:auto}h2,h3{break-after:avoid}tr,li,figure{break-inside:avoid}table{font-size:.74rem}th{font-size:.7rem}th,td{padding-right:.4rem}.num{white-space:normal}td .small{font-size:1em}:is(.mid-cell,.wide-cell).wide-cell,.mid-cell{min-width:0}td :is(.mono,code){overflow-wrap:anywhere}}
`;
