import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** What ran in the gateway for one message. */
export interface HelloCount {
  readonly functions: number
  readonly files: number
}

/** How long work beside the answer, such as the index of sessions, is given to end, ms. It counts as part of the message. */
const SETTLED = 1_000

/**
 * Starts a gateway on a home of its own with the rehearsal model, sends `Hello` by `foreword send` three times, and counts
 * for each the distinct named functions below `src/` that the gateway ran, and the files they are in. The first message
 * loads what is loaded late; the last is what a turn is when everything stands.
 */
export async function helloCounts(root: string): Promise<readonly HelloCount[]> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-counts-'))
  const program = join(root, 'bin', 'foreword.js')
  const environment = {
    PATH: process.env.PATH,
    FOREWORD_HOME: home,
    FOREWORD_MODEL: 'rehearsal',
    FOREWORD_GATEWAY_PORT: '0',
  }
  const gateway = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'coverage-hook.mjs'), program, 'start', '--json'],
    { env: environment, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  try {
    await once(gateway.stdout!, 'data')
    const counts: HelloCount[] = []
    for (let turn = 0; turn < 3; turn++) {
      await sleep(SETTLED)
      await answerOf(gateway, 'begin')
      const { status, stderr } = spawnSync(process.execPath, [program, 'send', 'Hello'], {
        env: environment,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`foreword send ended with ${status}: ${stderr}`)
      await sleep(SETTLED)
      const { result } = (await answerOf(gateway, 'end')) as { readonly result: readonly Ran[] }
      const own = result.filter(({ url }) => url.startsWith(pathToFileURL(join(root, 'src')).href))
      counts.push({ functions: own.length, files: new Set(own.map(({ url }) => url)).size })
    }
    return counts
  } finally {
    gateway.kill()
    await once(gateway, 'close')
    rmSync(home, { recursive: true, force: true })
  }
}

interface Ran {
  readonly url: string
  readonly name: string
}

async function answerOf(gateway: ChildProcess, question: string): Promise<unknown> {
  gateway.send(question)
  const [answer] = (await once(gateway, 'message')) as [unknown]
  return answer
}
