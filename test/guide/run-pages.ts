import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { run } from '../cli/recorded-io.ts'
import { sendCurl } from './curl.ts'
import { openGuideHome } from './guide-home.ts'
import { pages, type Shown, shownIn } from './page.ts'

/*
 * Every command and every `curl` line in a block of a page is run, in the order of the page, against one gateway with
 * the model `rehearsal`. Words in capitals, such as SESSION, stand for what `guide/guide-home.ts` puts in their place.
 * A line that cannot be run here is named below, with the reason.
 */

/** Lines that are not run, by their beginning, and why. */
const notRun: Readonly<Record<string, string>> = {
  'foreword wrap': 'it needs the program that it runs; `npm run clients` runs them, test/wrap has stand-ins',
  'foreword people': 'it needs the homes of people; test/people/people.test.ts has them',
  'foreword agents edit clerk --shared-with': 'it needs that agent; test/people/shared.test.ts has some',
  'foreword projects edit handbook --shared-with': 'it needs that project, as the agent above',
  'foreword templates edit review --shared-with': 'it needs that template, as the agent above',
  'foreword pair --person': 'it needs a person and a bot; test/people/telegram.test.ts has both',
  'foreword token new laptop --scope talk --person': 'it needs a person, as `foreword people` does',
  'foreword watch': 'it runs until it is stopped; test/cli-watch.test.ts stops it',
  'npm start': 'it runs until it is stopped; the tests of the process start it',
  'npm test': 'it runs these tests',
  'npm install foreword': 'it needs a registry',
  'npm install @foreword/context': 'it needs a registry; scripts/smoke-packed.mjs installs what is packed',
  'npm run foreword -- wrap': 'it needs Claude Code, as `foreword wrap` does',
  'npm run foreword -- chat': 'it is run as `foreword chat`',
  'curl -s $F/api/tools/TOOL/accept': 'it needs an MCP server that has changed the definition of a tool',
  'curl -s $F/v1/embeddings': 'it needs an embedding model; test/server/openai-embeddings.test.ts has one',
  'curl -s -X PATCH $F/api/sessions/SESSION/turns/TURN':
    'the turn has begun by then; test/runtime/queue.test.ts edits one that waits',
  'curl -s -X POST $F/api/mcp-servers/NAME/restart': 'it needs an MCP server; test/mcp-servers.test.ts restarts one',
  'curl -s -X PUT $F/api/mcp-servers': 'it needs the digest of config.json; test/mcp-servers.test.ts sends it',
  'curl -s -X PUT $F/api/tool-access':
    'it needs the digests of a preview; test/runtime/access-service.test.ts has them',
  'curl -s -X POST $F/api/token/replace': 'every later line would need the new token; the test of the page replaces it',
  'curl -s -OJ $F/api/backups/ID/archive':
    'it needs an archive that is ready; test/backup-download.test.ts waits for one',
}

/** Commands whose output is not compared, by their beginning, and why. */
const notCompared: Readonly<Record<string, string>> = {
  'foreword mcp config': 'it prints the paths of this machine',
}

/** What is not so, each with page and line. */
export async function runPages(t: TestContext): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-guide-'))
  const before = process.cwd()
  process.chdir(folder)
  t.after(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true, force: true })
  })
  const here = await openGuideHome(t, folder)
  const faults: string[] = []
  for (const page of pages()) {
    for (const shown of shownIn(page, /^(?:foreword|npm|curl) /)) {
      if (Object.keys(notRun).some((line) => shown.text.startsWith(line))) continue
      const work = shown.text.startsWith('curl ') ? curlFault(shown) : commandFault(shown)
      const fault = await work.catch(
        (error: unknown) => `${String(error)}; test/guide/guide-home.ts makes what a line needs`,
      )
      if (fault !== undefined) faults.push(`${shown.place}: \`${shown.text}\`: ${fault}`)
    }
  }
  return faults

  async function curlFault(shown: Shown): Promise<string | undefined> {
    const response = await sendCurl(await here.filled(shown), here.request)
    const text = await response.text()
    return response.ok ? undefined : `${response.status} ${text.slice(0, 300)}`
  }

  async function commandFault(shown: Shown): Promise<string | undefined> {
    const words = await here.filled(shown)
    const args = words.slice(words[0] === 'foreword' ? 1 : words.indexOf('--') + 1)
    const { argv, input } = redirected(args)
    const { code, stdout, stderr } = await run(argv, {
      environment: here.environment,
      connection: here.connection(),
      ...(input === undefined ? {} : { input }),
      ...((argv[0] === 'approve' || argv[0] === 'accept') && argv.length === 2 ? { person: true, input: 'y\n' } : {}),
    })
    if (code !== 0) return `exit code ${code}: ${stderr.slice(0, 300)}`
    return outputFault(shown, `${stdout.trimEnd()}\n${stderr}`.trim())
  }
}

/** What a shell would have done with `<` and `>`. */
function redirected(args: readonly string[]): { readonly argv: readonly string[]; readonly input?: string } {
  const at = args.findIndex((word) => word === '<' || word === '>')
  if (at === -1) return { argv: args }
  return { argv: args.slice(0, at), ...(args[at] === '<' ? { input: readFileSync(args[at + 1]!, 'utf8') } : {}) }
}

/** Where a page shows the output of a command, it is this one; ids and times are of their own each time. */
function outputFault({ output, text: line }: Shown, text: string): string | undefined {
  if (output === undefined || Object.keys(notCompared).some((begin) => line.startsWith(begin))) return undefined
  const [shown, now] = [output.join('\n'), text].map((each) =>
    each
      .replaceAll(/\b(proposal|turn|session|call|file)_[a-z0-9]+/g, '$1_ID')
      .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d \S+)/g, 'TIME'),
  )
  return shown === now ? undefined : `it prints\n${text}`
}
