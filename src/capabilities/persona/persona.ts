import { join } from 'node:path'
import { capability } from '../../capability.ts'

/** `soul.json` and `user_profile.json` of the home as layers. */
export const persona = capability({
  name: 'persona',
  summary: 'reads soul.json and user_profile.json',
  places: (_, home) => ({ readOnly: Object.values(filesIn(home)) }),
  async start({ home, layout }) {
    const { openPersona } = await import('./open-persona.ts')
    return openPersona({ ...filesIn(home.folder), expected: layout.expectsPersona })
  },
  layers: ({ service }) => service.layers,
  reload: ({ service }) => service.reload(),
  warnings: ({ service }) => service.warnings,
})

function filesIn(home: string) {
  const folder = join(home, 'context')
  return { soulFile: join(folder, 'soul.json'), userProfileFile: join(folder, 'user_profile.json') }
}
