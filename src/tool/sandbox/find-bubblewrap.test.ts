import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { systemTemporaryFolder } from '../../../test/tool/system-temporary-folder.ts'
import { confineNode, findNodeSandbox, trySandbox } from './find-bubblewrap.ts'

const found = await findNodeSandbox()
const skip = found.type === 'none' ? `no sandbox on this machine: ${found.why}` : false

test(
  'a program of Foreword sees the files that it needs, Node and its libraries, and nothing else',
  { skip },
  async (t) => {
    const folder = realpathSync(mkdtempSync(join(systemTemporaryFolder, 'confined-node-')))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'beside.txt'), 'beside')
    const program = join(folder, 'program.mjs')
    writeFileSync(
      program,
      `import { readdirSync } from 'node:fs'
     const top = readdirSync('/').filter((name) => name !== 'proc' && name !== 'dev')
     const entries = top.flatMap((name) => readdirSync('/' + name, { recursive: true, withFileTypes: true }))
     const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.parentPath + '/' + entry.name)
     console.log(JSON.stringify({ files, environment: Object.keys(process.env) }))`,
    )
    const argv = await confineNode({ argv: [process.execPath, program], readable: [program], memoryBytes: 2 ** 32 })
    const [command, ...words] = argv!
    const printed = execFileSync(command!, words, { encoding: 'utf8', env: {}, timeout: 60_000 })
    const { files, environment } = JSON.parse(printed) as { readonly files: string[]; readonly environment: string[] }
    assert.deepEqual(
      environment.filter((name) => name !== 'PWD'),
      [],
    )
    for (const path of [process.execPath, program]) assert.ok(files.includes(path), path)
    const libraries = /\.so[.\d]*$|^\/etc\/ld\.so\.cache$|^\/usr\/share\/nodejs\//
    const others = files.filter((path) => path !== process.execPath && path !== program && !libraries.test(path))
    assert.deepEqual(others, [])
  },
)

test('a trial that takes too long does not say that there is no sandbox', async () => {
  const tried = await trySandbox({ path: '/usr/bin/bwrap' }, ['/bin/sh', '-c', 'exec sleep 60'], 50)
  assert.ok(tried.type === 'none' && tried.isUnsure)
  assert.match(tried.why, /within 0\.05 seconds/)
  const failed = await trySandbox({ path: '/usr/bin/bwrap' }, [
    '/bin/sh',
    '-c',
    'echo "bwrap: no namespaces" >&2; exit 1',
  ])
  assert.ok(failed.type === 'none' && failed.isUnsure === undefined)
  assert.match(failed.why, /bwrap: no namespaces/)
})
