/** Code in a line shows `{{date}}` as it is written: without this, its braces are an expression of the page. */
export function keepBraces(markdown) {
  const render = markdown.renderer.rules.code_inline
  markdown.renderer.rules.code_inline = (...given) => render(...given).replace(/^<code(?! v-pre)/, '<code v-pre')
}
