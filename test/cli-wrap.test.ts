import assert from 'node:assert/strict'
import test from 'node:test'
import { wrappedPrograms } from '../src/capabilities/wrapped-agents/program/programs.ts'
import { obeyedNames } from '../src/tool.ts'
import { temporaryHome } from './cli/home.ts'
import { run } from './cli/recorded-io.ts'

test('a program that is not installed is named with the command that installs it', async (context) => {
  const { environment } = temporaryHome(context)
  const { code, stderr } = await run(['wrap', 'codex'], { environment: { ...environment, PATH: '/nowhere' } })
  assert.equal(code, 1)
  assert.match(stderr, /There is no program `codex` on PATH\.\n.*Install Codex with `npm install -g @openai\/codex`/)
})

test('tools write no settings of a program that is wrapped', () => {
  const protectedPrograms = obeyedNames.flatMap(({ level, by }) => (level === 'never' ? [by] : []))
  assert.deepEqual(
    wrappedPrograms.map(({ title }) => title).filter((title) => !protectedPrograms.includes(title)),
    [],
  )
})

test('an unknown program is refused with the nearest one', async (context) => {
  const { environment } = temporaryHome(context)
  const { code, stderr } = await run(['wrap', 'cluade'], { environment })
  assert.equal(code, 2)
  assert.match(stderr, /Unknown program "cluade"\.\n {2}Did you mean `foreword wrap claude`\?/)
})

test('what would be set is printed without a secret, and nothing is run', async (context) => {
  const { environment } = temporaryHome(context)
  for (const { name: program, command: executable } of wrappedPrograms) {
    const secret = {
      ANTHROPIC_CUSTOM_HEADERS: 'authorization: made-up-secret',
      GEMINI_CLI_CUSTOM_HEADERS: 'authorization: made-up-secret',
      COPILOT_PROVIDER_HEADERS: 'authorization: made-up-secret',
      OPENAI_API_KEY: 'made-up-secret',
      OPENCODE_CONFIG_CONTENT: '{"provider":{"anthropic":{"options":{"apiKey":"made-up-secret"}}}}',
    }
    const { code, stdout, stderr } = await run(['wrap', program, '--model', 'm', '--print', '--json', '--', 'a b'], {
      environment: { ...environment, ...secret },
    })
    assert.equal(code, 0, stderr)
    assert.ok(!stdout.includes('made-up-secret'), program)
    const { command, args, variables, files } = JSON.parse(stdout)
    assert.deepEqual([command, args.at(-1)], [executable, 'a b'])
    assert.match(
      JSON.stringify([variables, files, args]),
      /http:\/\/127\.0\.0\.1:PORT\/through\/(?:@TOKEN\/)?(?:anthropic|openai|google)/,
    )
    assert.match(JSON.stringify([variables, files]), /TOKEN/)
    assert.ok(!JSON.stringify(args).includes('TOKEN'), program)
    assert.equal(variables.NO_PROXY, '127.0.0.1,localhost,::1')
  }
})

test('conversations that do not fit are cut on their way where that is asked for', async (context) => {
  const { environment } = temporaryHome(context)
  for (const { name } of wrappedPrograms) {
    const args = ['wrap', name, '--model', 'scripted', '--assemble', '--print', '--json']
    const { stdout } = await run(args, { environment })
    assert.match(stdout, /http:\/\/127\.0\.0\.1:PORT\/assemble\/(?:@TOKEN\/)?(?:anthropic|openai|google)/)
    assert.doesNotMatch(stdout, /\/through\//)
  }
})

test('a cloud whose requests are signed cannot be wrapped, and is named', async (context) => {
  const { environment } = temporaryHome(context)
  const { code, stderr } = await run(['wrap', 'claude', '--print'], {
    environment: { ...environment, CLAUDE_CODE_USE_BEDROCK: '1' },
  })
  assert.equal(code, 1)
  assert.match(stderr, /CLAUDE_CODE_USE_BEDROCK is set/)
})
