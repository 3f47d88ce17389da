import { capability, type Route, route } from '../../capability.ts'
import { once } from '../../platform.ts'

/** Addresses of the page. Each is answered with the same document, which shows what the address names. */
const pages = ['/', '/sessions/:session', '/sessions/:session/calls/:call', '/settings', '/settings/:page'] as const

/** The page of the gateway: the chat, and the inspector of what the model reads. Its files are built from `web/`. */
export const webApp = capability({
  name: 'web-app',
  summary: 'serves the page: the chat and the inspector',
  status: {
    startLine: () => ({ label: 'Page', text: 'Open the address in a browser to talk and to attach a model.' }),
  },
  http: {
    routes() {
      const files = once(async () => (await import('./page-files.ts')).openPageFiles())
      const file = (path: string, summary: string, name: (param: (key: string) => string) => string): Route =>
        route(`GET ${path}`, {
          tag: 'page',
          summary,
          // The files are the same for everybody. What they show, they read with the token.
          needsToken: false,
          answers: { 200: { description: 'The file', media: 'text/html' } },
          handle: async ({ param, request }) => (await files()).answer(name(param), request),
        })
      const frame = (path: string, summary: string, open: () => Promise<() => Response>): Route => {
        const opened = once(open)
        return route(`GET ${path}`, {
          tag: 'page',
          summary,
          needsToken: false,
          answers: { 200: { description: 'An empty document', media: 'text/html' } },
          handle: async () => (await opened())(),
        })
      }
      return [
        frame('/preview', 'The frame in which the page shows HTML and SVG of an answer', async () =>
          (await import('./preview-frame.ts')).previewFrame(),
        ),
        frame('/diagram', 'The frame in which the page draws diagrams of an answer', async () =>
          (await import('./diagram-frame.ts')).diagramFrame(await (await files()).script('assets/mermaid')),
        ),
        ...pages.map((path) => file(path, 'Shows the page', () => 'index.html')),
        file('/favicon.svg', 'The icon of the page', () => 'favicon.svg'),
        file(
          '/app/:file',
          'What an installed page needs: its manifest, icons, worker, and the page for when nothing is reached',
          (param) => `app/${param('file')}`,
        ),
        file('/assets/:file', 'A script, a style sheet or a font of the page', (param) => `assets/${param('file')}`),
      ]
    },
  },
})
