import { createHash } from 'node:crypto'
import { securityHeaders } from '../../server.ts'

/**
 * Shows what the page sends. It is the only script that may run in the frame. Taken out is what a browser would act on although
 * the policy lets nothing through: to connect to a host, or to go elsewhere.
 */
const script = `addEventListener('message', ({ data, source }) => {
  if (source !== parent) return
  const { documentElement } = new DOMParser().parseFromString(data, 'text/html')
  for (const each of documentElement.querySelectorAll('link, base, meta, script, iframe, frame, object, embed')) each.remove()
  // A drawing that says how large it is, and not what it shows, would be cut where it has to be smaller.
  for (const drawing of documentElement.querySelectorAll('body > svg:only-child:not([viewBox])')) {
    const [width, height] = ['width', 'height'].map((name) => /^([0-9.]+)(?:px)?$/.exec(drawing.getAttribute(name) ?? '')?.[1])
    if (width && height) drawing.setAttribute('viewBox', '0 0 ' + width + ' ' + height)
  }
  document.replaceChild(document.adoptNode(documentElement), document.documentElement)
}, { once: true })
for (const type of ['click', 'auxclick', 'submit']) addEventListener(type, (event) => event.preventDefault(), true)`

/** The document of the frame in which the page shows HTML and SVG of an answer. */
export function previewFrame(): () => Response {
  return frameDocument('Preview', script)
}

/**
 * A document for what a model wrote: it has no origin, runs these scripts alone, asks nobody for anything, and leads nowhere. The
 * scripts are hashed once for all of its answers, since one of them has megabytes and anybody may ask.
 */
export function frameDocument(title: string, own: string, others: readonly string[] = []): () => Response {
  const policy = [
    "default-src 'none'",
    `script-src ${[own, ...others].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ')
  const document = `<!doctype html><meta charset="utf-8"><title>${title}</title><body><script>${own}</script>`
  const headers = {
    ...securityHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-dns-prefetch-control': 'off',
    // What may show it is in the policy.
    'x-frame-options': 'SAMEORIGIN',
  }
  return () => new Response(document, { headers })
}
