import { capability } from '../../capability.ts'
import { webSettings } from './web-settings.ts'

/** The tools on pages of the web. */
export const webAccess = capability({
  name: 'web',
  summary: 'reads pages of the web, and searches it',
  settings: webSettings,
  settingsWarnings: ({ allowHosts, search }) =>
    allowHosts.length > 0 && search === undefined
      ? [{ key: 'allowHosts', message: 'has no effect without web.search', hint: 'Name the search service there.' }]
      : [],
  async start({ settings, environment }) {
    const { createDocumentReader } = await import('../../document.ts')
    const { webTools } = await import('./web-tools.ts')
    const reader = createDocumentReader({ limits: { bytes: settings.maxBytes } })
    return { ...webTools({ ...settings, environment, readDocument: reader.read }), close: () => reader.close() }
  },
  promptBlocks: ({ service }) => [service.block],
  warnings: ({ service }) => service.warnings,
  stop: ({ service }) => service.close(),
})
