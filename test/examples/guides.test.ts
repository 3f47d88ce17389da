import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** What the code of a page is taken from. Each of these files is compiled, and run by a test or by CI. */
const sources: Readonly<Record<string, readonly string[]>> = {
  'library.md': ['examples/01-assemble-only.ts', 'examples/04-embedded.ts'],
  'own-capability.md': [
    'examples/06-own-capability.ts',
    'examples/07-own-layout.ts',
    'examples/09-own-embedder.ts',
    'examples/10-own-index.ts',
    'test/examples/own-capability.test.ts',
    'test/examples/own-embedder.test.ts',
  ],
  'own-tool.md': ['examples/03-own-tools.ts', 'test/examples/own-tool.test.ts'],
  'own-provider.md': ['examples/05-own-provider.ts', 'test/model/own-provider.test.ts'],
  'own-channel.md': [
    'examples/own-channel/mailbox.ts',
    'examples/own-channel/mailbox-channel.ts',
    'test/examples/own-channel.test.ts',
  ],
}

for (const [page, files] of Object.entries(sources)) {
  test(`what ${page} shows is the code that is tested`, async () => {
    const guide = await readFile(join(root, 'docs/guide', page), 'utf8')
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    const shown = [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code!)
    assert.ok(shown.length >= 2)
    for (const code of shown) {
      assert.ok(
        texts.some((text) => withoutIndent(text).includes(withoutIndent(code))),
        code,
      )
    }
  })
}

/** A piece may stand further to the left in a page. */
function withoutIndent(code: string): string {
  return code.replaceAll(/^ +/gm, '')
}
