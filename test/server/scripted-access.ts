import { type AcceptanceService, type AccessService, RuntimeError } from '../../src/capability.ts'
import { readAccess } from '../../src/tool.ts'

/** A policy that allows nothing, and stays as it is. */
export function scriptedAccess(): AccessService {
  const view = {
    path: '/home/tool-access.json',
    text: '',
    digest: 'd',
    problems: [],
    overrides: [],
    rules: [],
    presets: [],
  }
  return {
    inForce: async () => readAccess('{}', {}),
    view: async () => view,
    preview: async ({ text = '' }) => ({ ...view, text, difference: '', changes: [], widens: [], shown: 's' }),
    save: async ({ text }) => ({ ...view, text }),
    versions: async () => [],
  }
}

/** One change of the policy waits until it is accepted. */
export function scriptedAcceptance(): AcceptanceService {
  const change = {
    kind: 'policy',
    name: 'tool-access.json',
    digest: 'd-policy',
    words: ['A model may call shell.'],
    difference: '--- a/tool-access.json\n+++ b/tool-access.json\n@@ -1 +1 @@\n-{}\n+{"global": {}}\n',
  } as const
  let isAccepted = false
  return {
    waiting: async () => (isAccepted ? [] : [change]),
    async accept(name, digest) {
      if (isAccepted || name !== change.name || digest !== change.digest) throw new RuntimeError('decided', 'Not so.')
      isAccepted = true
    },
  }
}
