import type { AccessService } from '../../src/capability.ts'

/** A policy that allows nothing, and stays as it is. */
export function scriptedAccess(): AccessService {
  const view = { path: '/home/tool-access.json', text: '', digest: 'd', problems: [], overrides: [], rules: [] }
  return {
    view: async () => view,
    preview: async ({ text = '' }) => ({ ...view, text, difference: '', changes: [], widens: [], shown: 's' }),
    save: async ({ text }) => ({ ...view, text }),
    versions: async () => [],
  }
}
