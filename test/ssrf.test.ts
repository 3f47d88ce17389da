import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import test, { type TestContext } from 'node:test'
import { guardedFetch } from '../src/capabilities/web-access/guarded-fetch.ts'
import { type Script, type ScriptedWeb, scriptedWeb } from './web/scripted-web.ts'
import { systemClock } from '../src/platform.ts'

/** See test/web/README.md. */
interface Entry extends Script {
  readonly name: string
  readonly url: string
  readonly limits?: { readonly firstByteMs?: number; readonly timeoutMs?: number }
  readonly expect: 'refused' | 'opened' | 'failed'
  readonly code?: string
  readonly says?: readonly string[]
  readonly asked?: readonly string[]
  readonly connects?: readonly string[]
  readonly why: string
}

interface Address {
  readonly address: string
  readonly what: string
}

interface Corpus {
  readonly closed: readonly Address[]
  readonly open: readonly Address[]
  readonly entries: readonly Entry[]
}

const { closed, open, entries }: Corpus = JSON.parse(
  await readFile(new URL('./web/ssrf-corpus.json', import.meta.url), 'utf8'),
)

const publicAddress = '93.184.216.34'

test('every entry has a name of its own', () => {
  assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length)
  assert.equal(new Set([...closed, ...open].map(({ address }) => address)).size, closed.length + open.length)
})

for (const entry of entries) {
  test(`${entry.name}: ${entry.expect}`, async (t) => {
    const { answer, web } = await tried(t, entry.url, entry, entry.limits ?? {})
    const outcome = answer.type === 'fetched' ? 'opened' : answer.code === 'refused' ? 'refused' : 'failed'
    const said =
      answer.type === 'fetched' ? Buffer.from(answer.bytes.subarray(0, 1000)).toString('utf8') : answer.reason
    assert.equal(outcome, entry.expect, said)
    if (answer.type === 'failed' && entry.code !== undefined) assert.equal(answer.code, entry.code, said)
    for (const text of entry.says ?? []) assert.ok(said.includes(text), `${text} is not in: ${said}`)
    if (entry.asked) assert.deepEqual(web.asked, entry.asked)
    if (entry.connects) assert.deepEqual(web.connected, entry.connects)
    if (answer.type === 'failed') tellsNoAddress(said, entry)
  })
}

for (const { address, what } of closed) {
  const url = urlOf(address)
  test(`${address} (${what}) is reached in no way`, async (t) => {
    const ways: readonly (readonly [string, Script])[] = [
      [url, {}],
      ['http://inside.example/', { names: { 'inside.example': [address] } }],
      ['http://mixed.example/', { names: { 'mixed.example': [publicAddress, address] } }],
      ['http://mixed.example/', { names: { 'mixed.example': [address, publicAddress] } }],
      [
        'http://public.example/',
        {
          names: { 'public.example': [publicAddress] },
          pages: { 'http://public.example/': { status: 302, location: url } },
        },
      ],
      [
        'http://public.example/',
        {
          names: { 'public.example': [publicAddress], 'inside.example': [address] },
          pages: { 'http://public.example/': { status: 307, location: 'http://inside.example/' } },
        },
      ],
    ]
    for (const [first, script] of ways) {
      const { answer } = await tried(t, first, script)
      assert.deepEqual([first, answer.type === 'failed' && answer.code], [first, 'refused'])
    }
  })
}

for (const { address, what } of open) {
  test(`${address} (${what}) is opened, by its number and by a name`, async (t) => {
    const number = new URL(urlOf(address)).href
    const script = {
      names: { 'public.example': [address] },
      pages: { [number]: { body: 'hello' }, 'http://public.example/': { body: 'hello' } },
    }
    for (const url of [number, 'http://public.example/']) {
      const { answer, web } = await tried(t, url, script)
      assert.equal(answer.type, 'fetched')
      assert.deepEqual(web.connected, [isIPv6(address) ? `[${address}]:80` : `${address}:80`])
    }
  })
}

/** One try against a scripted web. Whatever is expected, no connection may have gone to what is not public. */
async function tried(t: TestContext, url: string, script: Script, limits: Entry['limits'] = {}) {
  const web = await scriptedWeb(script)
  t.after(() => web.close())
  const answer = await guardedFetch({ clock: systemClock, network: web.network, ...limits })(
    url,
    new AbortController().signal,
  )
  assert.deepEqual(web.connected.filter(isInside), [])
  sendsNothingOfUs(web)
  return { answer, web }
}

function urlOf(address: string): string {
  return isIPv6(address) ? `http://[${address}]/` : `http://${address}/`
}

/** A table that was written for this test alone, so that a slip in the guard's own is seen. */
const insideV4 = new BlockList()
const insideV6 = new BlockList()
for (const network of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  insideV4.addSubnet(network[0], network[1], 'ipv4')
}
insideV4.addAddress('168.63.129.16')
for (const network of [
  ['::', 8],
  ['64:ff9b::', 16],
  ['100::', 8],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  insideV6.addSubnet(network[0], network[1], 'ipv6')
}

function isInside(place: string): boolean {
  const address = place.replace(/:\d+$/, '').replaceAll(/[[\]]/g, '')
  if (isIPv4(address)) return insideV4.check(address, 'ipv4')
  return !isIPv6(address) || insideV6.check(address, 'ipv6')
}

/** Where a name led is nobody's business: it would be a map of the network. */
function tellsNoAddress(said: string, { url, names = {} }: Entry): void {
  const addresses = Object.values(names).flat(2)
  for (const address of addresses) if (!url.includes(address)) assert.ok(!said.includes(address), said)
}

function sendsNothingOfUs(web: ScriptedWeb): void {
  for (const { method, headers, body } of web.requests) {
    assert.deepEqual([method, body], ['GET', ''])
    assert.deepEqual(Object.keys(headers).toSorted(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
  }
}
