import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev -w web` finds a gateway. */
const gateway = process.env['FOREWORD_DEV_GATEWAY'] ?? 'http://127.0.0.1:4141'

/** The core, and the package that it counts tokens with. */
const core = /[\\/](?:src[\\/]context|tokenx)[\\/]/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    // Nothing is inlined: the Content-Security-Policy of the page allows files of the gateway alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The core has chunks of its own, without anything of the page: its worker loads them, too. What the first screen
          // runs of it does not wait for the rest.
          groups: [
            { name: 'core', test: core, tags: ['$initial'] },
            { name: 'core-late', test: core },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': gateway, '/v1': gateway } },
})
