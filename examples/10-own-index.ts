/**
 * Files of your own that the model can search: a folder of texts, and an index of them. Put the file into the home, texts
 * into its folder `pilot-books`, and name it in config.json: `"capabilities": ["./10-own-index.ts"]`. Allow its tool with
 * `foreword tools allow pilot_books`.
 */
import { capability } from 'foreword/capability'
import { openSqliteSearch, type SearchEngine } from 'foreword/search'
import { tool } from 'foreword/tool'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const INDEX = 'pilot-books.sqlite'
const COLLECTION = 'pilot-books'

const settings = z.strictObject({
  folder: z.string().default('pilot-books').describe('Folder of the pilot books.').meta({ path: true }),
})

export default capability({
  name: 'pilot-books',
  summary: 'Finds passages of pilot books.',
  settings: { schema: settings },
  home: {
    folders: ({ folder }) => [folder],
    indexes: [{ file: INDEX, title: 'the index of the pilot books' }],
  },

  async start({ settings: { folder }, home, clock, writes }) {
    const path = join(home.data, INDEX)
    // Beside a process that writes the index, it is opened for queries. Before the first start there is none.
    const engine = await openSqliteSearch({ path, clock, readOnly: !writes }).catch((error: unknown) => {
      if (writes) throw error
      return undefined
    })
    if (writes && engine) await indexFolder(engine, folder)
    return engine
  },
  stop: async ({ service }) => service?.close(),

  tools: ({ service }) => [
    tool({
      name: 'pilot_books',
      description: 'Finds passages of the pilot books by their words.',
      schema: z.object({ words: z.string().describe('Words of the passage.') }),
      idempotent: true,
      async execute({ words }) {
        const found = await service?.search({ text: words, collections: [COLLECTION] })
        return found?.hits.map(({ title, chunk }) => `${title}: ${chunk.text}`).join('\n\n') || 'Nothing was found.'
      },
    }),
  ],
})

/** A text that has not changed is not indexed again. */
async function indexFolder(engine: SearchEngine, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  for (const { id } of await engine.documents()) if (!names.includes(id)) await engine.remove(id)
  for (const id of names) {
    const text = await readFile(join(folder, id), 'utf8')
    const digest = createHash('sha256').update(text).digest('hex')
    await engine.index({ id, title: id, collections: [COLLECTION], digest, text })
  }
}
