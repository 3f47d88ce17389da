import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { SearchHit } from '../src/search.ts'
import type { FileRow } from '../src/session.ts'
import { type Spawned, spawnForeword } from './cli/gateway-process.ts'
import { temporaryHome } from './cli/home.ts'

/** From the acknowledgement on; `0` is right behind it, later ones are in the midst of reading and indexing. */
const moments = [0, 40, 120, 250]

test('a gateway that is killed soon after files were taken reads and indexes them at its next start', async (t) => {
  const { home, environment } = temporaryHome(t)
  let gateway = await started(t, home, environment)
  const project = await gateway.ask<{ id: string }>('/api/projects', { name: 'Harbour' })
  for (const moment of moments) {
    const form = new FormData()
    const names = Array.from({ length: 12 }, (_, index) => `chart-${moment}-${index}.md`)
    for (const name of names) {
      form.append('file', new File([`# ${name}\n\n${'The buoy is red. '.repeat(400)}\nCode word ${name}`], name))
    }
    const { files } = await gateway.ask<{ files: readonly FileRow[] }>(`/api/files?project=${project.id}`, form)
    assert.equal(files.length, names.length)
    await new Promise((resolve) => setTimeout(resolve, moment))
    gateway.process.child.kill('SIGKILL')
    await gateway.process.ended

    gateway = await started(t, home, environment)
    for (const { id } of files) {
      let { state } = await gateway.ask<FileRow>(`/api/files/${id}?wait=20000`)
      while (state.type === 'processing') ({ state } = await gateway.ask<FileRow>(`/api/files/${id}?wait=20000`))
      assert.equal(state.type, 'ready', `${moment} ms: ${JSON.stringify(state)}`)
    }
    for (const name of [names[0]!, names[11]!]) await gateway.finds(`"${name}"`, name)
  }
})

async function started(t: TestContext, home: string, environment: Readonly<Record<string, string>>) {
  const process: Spawned = spawnForeword(t, ['start', '--json'], environment)
  const { address } = JSON.parse(await process.line(/address/)) as { readonly address: string }
  const token = readFileSync(join(home, 'data', 'token'), 'utf8').trim()

  async function ask<Answer>(path: string, body?: object): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(new URL(path, address), {
      headers: { authorization: `Bearer ${token}`, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: isForm ? body : JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    assert.ok(response.ok, `${response.status} ${text}`)
    return JSON.parse(text) as Answer
  }

  async function finds(query: string, title: string): Promise<void> {
    for (;;) {
      const { hits } = await ask<{ hits: readonly SearchHit[] }>(`/api/search?q=${encodeURIComponent(query)}&limit=25`)
      if (hits.some((hit) => hit.title === title)) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return { process, ask, finds }
}
