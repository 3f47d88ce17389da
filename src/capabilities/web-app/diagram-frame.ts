import { frameDocument } from './preview-frame.ts'

/**
 * Takes the library as a text and a port from the page, and answers each diagram on the port with its drawing, or with why there is none.
 * The library measures texts in frames of an animation, which a browser does not give to what is out of sight.
 */
const script = `addEventListener('message', ({ data, source, ports: [port] }) => {
  if (source !== parent || port === undefined || globalThis.mermaid) return
  globalThis.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()))
  const library = document.createElement('script')
  library.textContent = data
  document.head.append(library)
  // Charts over time are as wide as what they are drawn in.
  document.body.style.width = '800px'
  port.onmessage = async ({ data: { id, code, scheme } }) => {
    try {
      port.postMessage({ id, ...(await drawn(code, scheme === 'dark')) })
    } catch (error) {
      document.body.replaceChildren()
      port.postMessage({ id, fault: String(error?.message ?? error).split('\\n')[0].replace(/:?$/, '.') })
    }
  }
  port.postMessage({ id: 'ready' })
})
const light = { background: '#ffffff', edgeLabelBackground: '#ffffff', primaryColor: '#e3efea', primaryBorderColor: '#1f5f52', primaryTextColor: '#1e211f', lineColor: '#55594f', secondaryColor: '#f1efe9', tertiaryColor: '#faf9f6', noteBkgColor: '#f6edda', noteBorderColor: '#a0862a', noteTextColor: '#1e211f', pieStrokeColor: '#ffffff' }
const dark = { darkMode: true, background: '#1d201e', edgeLabelBackground: '#1d201e', primaryColor: '#20332d', primaryBorderColor: '#6fc3b1', primaryTextColor: '#ecebe4', lineColor: '#a9aca0', secondaryColor: '#2c302d', tertiaryColor: '#26292a', noteBkgColor: '#3a3420', noteBorderColor: '#c9ae4f', noteTextColor: '#ecebe4', pieStrokeColor: '#1d201e' }
const slices = ['#6d5ba0', '#2f6f9f', '#23766f', '#3f7a3d', '#8a7120', '#a9531f', '#b0476f', '#57677a']
const either = { fontFamily: 'system-ui, sans-serif', pieSectionTextColor: '#ffffff', pieOuterStrokeWidth: '0', pieOpacity: '1', ...Object.fromEntries(slices.map((color, index) => ['pie' + (index + 1), color])) }
let drawings = 0
async function drawn(code, isDark) {
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, htmlLabels: false, theme: 'base', themeVariables: { ...either, ...(isDark ? dark : light) } })
  const { svg } = await mermaid.render('diagram' + ++drawings, code)
  const place = document.createElement('div')
  place.innerHTML = svg
  const drawing = place.querySelector('svg')
  const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number)
  drawing.setAttribute('width', width)
  drawing.setAttribute('height', height)
  drawing.style.maxWidth = ''
  return { svg: new XMLSerializer().serializeToString(drawing), width, height, title: drawing.querySelector(':scope > title')?.textContent ?? '' }
}`

/** The document of the frame in which the page draws diagrams. The only other script that may run in it is `library`, byte for byte. */
export function diagramFrame(library: string): () => Response {
  return frameDocument('Diagrams', script, [library])
}
