import type { CapabilityOverview } from '../capability.ts'
import written from './overview.json' with { type: 'json' }

/** What the command line knows of everything that comes with Foreword before it loads any of it. `npm run schema` writes the facts. */
export const overview: CapabilityOverview = {
  ...written,
  commands: written.commands as CapabilityOverview['commands'],
  load: async () => (await import('./built-in.ts')).builtIn,
}
