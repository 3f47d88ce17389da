/** A gateway inside your program, with a model that needs no key. It takes the path of the home; without one, a temporary folder. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForeword } from 'foreword'

const home = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'foreword-'))

const foreword = await createForeword({ home, configuration: { model: 'rehearsal' } })
const { url } = await foreword.listen({ port: 0 })
const { session, turn } = await foreword.runtime.submit({ text: '/say Hello from the gateway.' })
for await (const event of foreword.runtime.events(session, { turn })) {
  if (event.type === 'text-delta') process.stdout.write(event.text)
}
console.log(`\nThe HTTP API was at ${url}.`)
await foreword.close()
