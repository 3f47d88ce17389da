import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** How long a client may take for a scenario, ms. Its start alone takes many seconds on a busy machine. */
const CLIENT_MS = '120000'

/** What the conformance suite said of one check of a scenario. */
export interface Check {
  readonly scenario: string
  readonly id: string
  readonly status: string
  readonly why: string | undefined
}

/** What is tested: a server at an address, or a client by the command that starts it. */
type Tested = { readonly url: string } | { readonly command: string }

/** Runs what a revision of the protocol requires of a server or of a client, and answers every check that was made. */
export async function runConformance(tested: Tested, revision: string): Promise<readonly Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foreword-conformance-'))
  try {
    const about =
      'url' in tested
        ? ['server', '--url', tested.url]
        : ['client', '--timeout', CLIENT_MS, '--command', tested.command]
    const args = [program, ...about, '--requirements', revision, '--output-dir', folder]
    const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
    await once(child, 'close')
    return await checksIn(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checksIn(folder: string): Promise<readonly Check[]> {
  const files = await readdir(folder, { recursive: true })
  const checks = files.toSorted().filter((file) => file.endsWith('checks.json'))
  const all = await Promise.all(
    checks.map(async (file) => {
      const found = JSON.parse(await readFile(join(folder, file), 'utf8')) as readonly {
        readonly id: string
        readonly status: string
        readonly errorMessage?: string
      }[]
      const scenario = /^(?:server-)?(.+?)-\d{4}-\d{2}-\d{2}T/.exec(file)?.[1] ?? file
      return found.map(({ id, status, errorMessage }) => ({ scenario, id, status, why: errorMessage }))
    }),
  )
  return all.flat()
}
