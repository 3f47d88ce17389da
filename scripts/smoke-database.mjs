import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './smoke-container.mjs'
import { startPostgres, withoutPostgres } from '../test/session/postgres-server.ts'

/**
 * Runs two gateways of an installed package over one PostgreSQL, each on a home of its own: one works, the other stands by. The first is
 * killed, and the second answers in the session of the first. Resolves with what was seen, or why it was left out.
 *
 * @param {string} script
 * @param {string} folder
 */
export async function checkDatabase(script, folder) {
  if (withoutPostgres !== undefined) return `no gateway was tried on PostgreSQL: ${withoutPostgres}`
  const postgres = await startPostgres()
  const token = 'of-two-gateways-on-one-database'
  /** @type {import('node:child_process').ChildProcess[]} */
  const gateways = []
  try {
    const store = await postgres.database()
    const start = (/** @type {string} */ name, /** @type {number} */ port) => {
      const environment = {
        PATH: process.env.PATH ?? '',
        FOREWORD_HOME: join(folder, name),
        FOREWORD_STORE: store,
        FOREWORD_GATEWAY_TOKEN: token,
        FOREWORD_GATEWAY_PORT: String(port),
      }
      const gateway = spawn(process.execPath, [script, 'start', '--json'], { env: environment, stdio: 'ignore' })
      gateways.push(gateway)
      return { gateway, address: `http://127.0.0.1:${port}` }
    }
    const one = start('one', await freePort())
    await until(one.address, 200)
    const other = start('other', await freePort())
    await until(other.address, 503)
    const session = await say(one.address, token, 'Before it was killed.')
    one.gateway.kill('SIGKILL')
    const killed = performance.now()
    await until(other.address, 200)
    const seconds = ((performance.now() - killed) / 1_000).toFixed(1)
    await say(other.address, token, 'After that.', session)
    return `on PostgreSQL the second gateway took over in ${seconds} s and went on in the session of the first`
  } finally {
    for (const gateway of gateways) gateway.kill('SIGKILL')
    await postgres.stop()
  }
}

/** Waits until a gateway says that it is ready (200) or stands by (503). */
async function until(/** @type {string} */ address, /** @type {number} */ status) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const answer = await fetch(`${address}/health/ready`).catch(() => undefined)
    if (answer?.status === status) return
  }
  throw new Error(`${address} did not answer ${status} within 30 seconds`)
}

/**
 * @param {string} address
 * @param {string} token
 * @param {string} words
 * @param {string} [session]
 * @returns {Promise<string>} the session
 */
async function say(address, token, words, session) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ text: `/say ${words}`, ...(session !== undefined && { session }) })
  const sent = await (await fetch(`${address}/api/messages`, { method: 'POST', headers, body })).json()
  const answer = await fetch(`${address}/api/sessions/${sent.session}/turns/${sent.turn}?wait=20000`, { headers })
  const text = await answer.text()
  if (!text.includes(words)) throw new Error(`the message "${words}" was answered with ${text}`)
  return sent.session
}
