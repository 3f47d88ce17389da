import { join } from 'node:path'
import { capability } from '../../capability.ts'
import type { PinnedFile } from '../../capability/toolkit.ts'

export const persona = capability({
  name: 'persona',
  summary: 'reads soul.json and user_profile.json',
  home: { places: (_, home) => ({ readOnly: Object.values(filesIn(home)) }) },
  async start(host) {
    const [{ openPersona }, { pinnedFile }, { readText }] = await Promise.all([
      import('./open-persona.ts'),
      import('../../capability/toolkit.ts'),
      import('../../tool.ts'),
    ])
    const files = filesIn(host.home.folder)
    const pinned = (path: string, name: string): PinnedFile =>
      pinnedFile(host, { path, name, reload: () => opened.reload() }, readText)
    const soul = pinned(files.soulFile, 'context/soul.json')
    const profile = pinned(files.userProfileFile, 'context/user_profile.json')
    const opened = await openPersona({
      ...files,
      expected: host.layout.expectsPersona,
      read: (path, ...more) => (path === files.soulFile ? soul : profile).read(path, ...more),
    })
    return Object.assign(opened, { pins: [soul, profile] })
  },
  layers: ({ service }) => service.layers,
  lifecycle: { reload: ({ service }) => service.reload() },
  status: { warnings: ({ service }) => service.warnings },
  pins: ({ service }) => service.pins,
})

function filesIn(home: string) {
  const folder = join(home, 'context')
  return { soulFile: join(folder, 'soul.json'), userProfileFile: join(folder, 'user_profile.json') }
}
