import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { callTool, isAlive, type McpHome, namesOf, openMcpHome, until } from './mcp/mcp-home.ts'
import { freePort } from './kit/free-port.ts'

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
const filesystem = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'))

function home(t: TestContext): McpHome {
  const opened = openMcpHome()
  t.after(() => opened.close())
  return opened
}

test('the public server "everything" is used over stdio', async (t) => {
  const { plugin: started } = home(t)
  const plugin = await started({ everything: { command: process.execPath, args: [everything] } })
  assert.deepEqual(namesOf(plugin), [], 'nothing was ever accepted, and nobody waited yet')
  await plugin.ready?.()
  const names = namesOf(plugin)
  assert.ok(names.includes('everything__echo'))
  assert.deepEqual(names, names.toSorted())
  assert.deepEqual(plugin.warnings?.(), [])

  const echo = await callTool(plugin, 'everything__echo', { message: 'hello' })
  assert.deepEqual(echo, { ok: true, output: 'Echo: hello', meta: { bytes: 11 } })
  const sum = await callTool(plugin, 'everything__get-sum', { a: 2, b: 3 })
  assert.equal(sum.ok && sum.output, 'The sum of 2 and 3 is 5.')
  const image = await callTool(plugin, 'everything__get-tiny-image')
  assert.match(image.ok ? image.output : '', /\[image image\/png, [\d,]+ bytes\]/)
  const wrong = await callTool(plugin, 'everything__get-sum', { a: 'two' })
  assert.equal(wrong.meta?.['failure'], 'invalid-input')
})

test('what the server "everything" is given to know is its own environment, and no value of it is shown', async (t) => {
  const { plugin: started } = home(t)
  const plugin = await started(
    { everything: { command: process.execPath, args: [everything], environment: { TOKEN: 'OUR_TOKEN' } } },
    { environment: { PATH: process.env['PATH'], OUR_TOKEN: 'hush-hush-hush', OTHER_KEY: 'not-for-servers' } },
  )
  await plugin.ready?.()
  const result = await callTool(plugin, 'everything__get-env')
  const shown = JSON.parse(result.ok ? result.output : '') as Record<string, string>
  assert.equal(shown['TOKEN'], '[OUR_TOKEN]')
  assert.equal('OTHER_KEY' in shown, false)
})

test('the public server "everything" works over streamable HTTP, also after its restart', async (t) => {
  const port = await freePort()
  const before = await everythingOverHttp(port)
  t.after(() => before())
  const { plugin: started } = home(t)
  const plugin = await started({ web: { url: `http://127.0.0.1:${port}/mcp` } })
  await plugin.ready?.()
  const echo = await callTool(plugin, 'web__echo', { message: 'over HTTP' })
  assert.equal(echo.ok && echo.output, 'Echo: over HTTP')
  const links = await callTool(plugin, 'web__get-resource-links', { count: 1 })
  assert.match(links.ok ? links.output : '', /\[resource demo:\/\//)

  await before()
  const after = await everythingOverHttp(port)
  t.after(() => after())
  const again = await callTool(plugin, 'web__echo', { message: 'again' })
  assert.deepEqual(again, { ok: true, output: 'Echo: again', meta: { bytes: 11 } }, 'a new session is begun')
})

test('the public server "filesystem" reads and writes where it may, and fails where it may not', async (t) => {
  const { folder, plugin: started } = home(t)
  const files = join(folder, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'note.txt'), 'a note')
  const plugin = await started({
    files: { command: process.execPath, args: [filesystem, files], directory: folder },
  })
  await plugin.ready?.()
  const note = await callTool(plugin, 'files__read_text_file', { path: join(files, 'note.txt') })
  assert.equal(note.ok && note.output, 'a note')
  const outside = await callTool(plugin, 'files__read_text_file', { path: '/etc/hostname' })
  assert.match(outside.ok ? '' : outside.error, /denied/i)
})

test('a server ends with its plugin, and so does what it started, even where it does not want to', async (t) => {
  const { scripted, plugin: started } = home(t)
  const tools = [{ name: 'one', inputSchema: { type: 'object' } }]
  const server = scripted('family', { tools, child: true, stubborn: true })
  const plugin = await started({ family: server.configured })
  await plugin.ready?.()
  const pids = pidsIn(server.log())
  assert.equal(pids.length, 2)
  await plugin.stop?.()
  await until(() => !pids.some(isAlive))
})

test('a plugin that is stopped while it still connects leaves nothing running', async (t) => {
  const { scripted, plugin: started } = home(t)
  const server = scripted('slow', { tools: [], startDelayMs: 600_000 })
  const plugin = await started({ slow: server.configured })
  const ready = plugin.ready?.()
  await until(() => server.log().length === 1)
  await plugin.stop?.()
  await ready
  await until(() => !pidsIn(server.log()).some(isAlive))
  assert.deepEqual(namesOf(plugin), [])
})

test('a server with the older transport is told from an address without a server', async (t) => {
  const asked: string[] = []
  const server = createHttpServer(({ method, headers, url }, response) => {
    asked.push(`${method} ${headers.authorization}`)
    if (method !== 'GET' || url !== '/sse') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: /messages?session=1\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { plugin: started } = home(t)
  const reached = { headers: { authorization: 'OUR_TOKEN' } }
  const plugin = await started(
    {
      old: { url: `http://127.0.0.1:${port}/sse`, ...reached },
      none: { url: `http://127.0.0.1:${port}/other`, ...reached },
    },
    { environment: { OUR_TOKEN: 'Bearer hush-hush' } },
  )
  const ready = plugin.ready?.()
  await until(() => (plugin.warnings?.() ?? []).filter((warning) => /cannot be reached/.test(warning)).length === 2)
  const [old, none] = plugin.warnings?.().filter((warning) => /cannot be reached/.test(warning)) ?? []
  assert.match(
    old!,
    /^old cannot be reached: it speaks the older transport HTTP\+SSE of 2024-11-05, which is not supported/,
  )
  assert.match(none!, /^none cannot be reached: it answered 404/)
  await plugin.stop?.()
  await ready
  assert.ok(asked.every((line) => line.endsWith(' Bearer hush-hush')))
})

test('a server that leads on to another host gets no headers there', async (t) => {
  const asked: string[] = []
  const serve = async (answer: (path: string) => string) => {
    const server = createHttpServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`)
      response.writeHead(307, { location: answer(url ?? '') }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const other = await serve(() => '/other')
  const first = await serve((path) => (path === '/mcp' ? '/mcp/' : `${other}/stolen`))
  const { plugin: started } = home(t)
  const servers = { moved: { url: `${first}/mcp`, headers: { 'x-key': 'OUR_TOKEN' } } }
  const plugin = await started(servers, { environment: { OUR_TOKEN: 'hush-hush' } })
  const ready = plugin.ready?.()
  await until(() => (plugin.warnings?.() ?? []).some((warning) => /cannot be reached/.test(warning)))
  const warning = plugin.warnings?.().find((each) => /cannot be reached/.test(each))
  await plugin.stop?.()
  await ready
  assert.equal(
    warning,
    `moved cannot be reached: it leads on to ${other}, where its headers are not sent. Give it that address if it is right`,
  )
  assert.ok(asked.includes('POST /mcp/'))
  assert.ok(!asked.some((line) => /stolen|other/.test(line)))
})

function pidsIn(log: readonly string[]): readonly number[] {
  return log.flatMap((line) => /^(?:started|child) (\d+)$/.exec(line)?.[1] ?? []).map(Number)
}

/** Resolves once it listens, with what ends it. */
async function everythingOverHttp(port: number): Promise<() => Promise<void>> {
  const { PATH } = process.env
  const program = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const gone = once(program, 'exit')
  for await (const said of program.stderr) if (String(said).includes('listening')) break
  return async () => {
    program.kill('SIGKILL')
    await gone
  }
}
