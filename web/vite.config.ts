import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { markedLexer, plainIcons, reactNames, usedDiffs } from './smaller-packages.ts'

/** Where `npm run dev -w web` finds a gateway. */
const gateway = process.env['FOREWORD_DEV_GATEWAY'] ?? 'http://127.0.0.1:4141'

/** What is drawn of code and of mathematics: each is loaded by the first answer that has some. */
const drawings = [
  { name: 'highlight', packages: /[\\/]@shikijs[\\/]/, file: /[\\/]markdown[\\/]highlight\.ts$/ },
  { name: 'math', packages: /[\\/]katex[\\/]/, file: /[\\/]markdown[\\/]draw-math\.ts$/ },
]

/** `highlight.NAME` and `math.NAME` are not counted as scripts of the page: see `test/page/page-sizes.ts`. */
function chunkName(modules: readonly string[]): string {
  const own = modules.filter((id) => /[\\/]src[\\/]/.test(id) && !id.includes('node_modules'))
  const drawing = drawings.find(
    ({ packages, file }) => modules.some((id) => packages.test(id)) && own.every((id) => file.test(id)),
  )
  return `assets/${drawing ? `${drawing.name}.` : ''}[name]-[hash].js`
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), markedLexer, usedDiffs, plainIcons, reactNames],
  build: {
    target: 'es2023',
    // Nothing is inlined: the Content-Security-Policy of the page allows files of the gateway alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ moduleIds }) => chunkName(moduleIds),
        codeSplitting: {
          // What comes late is a few chunks and not one for each module, since many small ones compress badly.
          groups: [
            { name: 'first-screen', tags: ['$initial'] },
            { name: 'parts', test: /[\\/]web[\\/]src[\\/](?:api|parts)[\\/]/ },
            { name: 'inspector', test: /[\\/]web[\\/]src[\\/]inspector[\\/]/ },
            { name: 'settings', test: /[\\/]web[\\/]src[\\/]settings[\\/]/ },
            { name: 'shortcuts', test: /[\\/]web[\\/]src[\\/]app[\\/]/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': gateway, '/v1': gateway } },
})
