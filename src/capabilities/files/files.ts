import { z } from 'zod'
import { capability, type CapabilityHost, fileEmbedder } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { Tool } from '../../tool.ts'
import type { FileService } from './file-service.ts'

const settings = z
  .strictObject({
    maxBytes: z
      .int()
      .min(1)
      .max(2_000_000_000)
      .default(52_428_800)
      .describe('The largest file that can be added, bytes.'),
    maxTokens: z.int().min(1).default(1_000_000).describe('The longest text of one file, tokens.'),
  })
  .prefault({})
  .describe('Files that people add.')

type FileSettings = z.output<typeof settings>

interface FilesService extends FileService {
  /** Those that turns may be given. */
  readonly tools: readonly Tool[]
}

/** Files that people add: stored, read, indexed, and included in the turns of their owner (BEHAVIOURS §3.4, §3.5). */
export const files = capability<FileSettings, FilesService>({
  name: 'files',
  summary: 'files that people hand in, for a message, a project or an agent',
  settings: { schema: settings },
  commands: {
    files: async () => (await import('./cli/files.ts')).filesCommand,
    search: async () => (await import('./cli/search.ts')).searchCommand,
  },
  start,
  turn: async (self, question) => (await import('./turn-files.ts')).fileTurnPart(self, question),
  tools: ({ service }) => service.tools,
  home: { indexes: [{ file: 'search.sqlite', title: 'the search index' }] },
  http: {
    async routes(self) {
      const { fileRoutes, searchRoutes } = await import('./http/file-routes.ts')
      return [...fileRoutes(self), ...searchRoutes(self)]
    },
  },
  lifecycle: {
    // Reads files in the background: nothing waits for it.
    async recover({ service, warn }) {
      void service.recover().catch((error: unknown) => warn(String(error)))
    },
    idle: ({ service }) => service.idle(),
  },
  sessions: {
    async deleted({ service }, session) {
      for (const { id } of await service.files({ type: 'session', id: session })) await service.remove(id)
    },
  },
  status: {
    warnings: ({ service }) => service.warnings(),
    facts: async ({ service }) => defined({ meaning: await service.meaning(), files: await service.room() }),
  },
  stop: ({ service }) => service.close(),
})

async function start(host: CapabilityHost<FileSettings>): Promise<FilesService> {
  const { home, store, clock, counter, writes, warn } = host
  const [{ openFileService }, { fileTurnTools }] = await Promise.all([
    import('./file-service.ts'),
    import('./turn-files.ts'),
  ])
  const service = openFileService({
    ...host.capability(fileEmbedder),
    store,
    data: home.data,
    clock,
    counter,
    limits: host.settings,
    room: host.ofOwner?.room,
    readOnly: !writes,
    shared: writes ? host.ofOwner : undefined,
    warn,
  })
  return { ...service, tools: fileTurnTools(host.choices) }
}
