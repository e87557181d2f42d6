import { useData } from "vitepress";
import theme from "vitepress/theme";
import { defineComponent, h, onMounted, ref } from "vue";

/** A choice of the versions that stand beside this one, as versions.json lists them: an older site then knows newer ones. */
const Versions = defineComponent(() => {
  const { base } = useData().site.value;
  const [, top = "/", own = ""] = /^(.*\/)([^/]+)\/$/.exec(base) ?? [];
  const versions = ref([own]);
  onMounted(async () => {
    const answer = await fetch(`${top}versions.json`);
    if (answer.ok) versions.value = await answer.json();
  });
  /** The same page of the other version, or its first page where it has no such page. */
  const choose = async (event: Event): Promise<void> => {
    const other = `${top}${(event.target as HTMLSelectElement).value}/`;
    const page = other + location.pathname.slice(base.length);
    location.assign((await fetch(page, { method: "HEAD" })).ok ? page + location.hash : other);
  };
  const option = (version: string) => h("option", { value: version, selected: version === own }, version);
  const style = { marginLeft: "12px", border: "1px solid var(--vp-c-divider)", borderRadius: "6px", padding: "2px 6px" };
  return () => h("select", { "aria-label": "Version of the documentation", onChange: choose, style }, versions.value.map(option));
});

export default {
  ...theme,
  Layout: () => h(theme.Layout, null, { "nav-bar-content-after": () => h(Versions), "nav-screen-content-after": () => h(Versions) }),
};
