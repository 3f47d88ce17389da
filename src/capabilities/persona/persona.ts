import { join } from 'node:path'
import { capability } from '../../capability.ts'

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
    const soul = pinnedFile(host, { path: files.soulFile, name: 'context/soul.json' }, readText)
    const profile = pinnedFile(host, { path: files.userProfileFile, name: 'context/user_profile.json' }, readText)
    const opened = await openPersona({
      ...files,
      expected: host.layout.expectsPersona,
      read: (path, ...more) => (path === files.soulFile ? soul : profile).read(path, ...more),
    })
    return Object.assign(opened, { pins: [soul, profile] })
  },
  layers: ({ service }) => service.layers,
  reload: ({ service }) => service.reload(),
  warnings: ({ service }) => [...service.warnings, ...service.pins.flatMap((pin) => pin.warnings())],
  withheld: ({ service }) => service.pins.flatMap((pin) => pin.withheld()),
  async accept({ service }, name, digest) {
    for (const pin of service.pins) {
      if (!(await pin.accept(name, digest))) continue
      await service.reload()
      return true
    }
    return false
  },
})

function filesIn(home: string) {
  const folder = join(home, 'context')
  return { soulFile: join(folder, 'soul.json'), userProfileFile: join(folder, 'user_profile.json') }
}
