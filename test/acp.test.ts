import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { methods } from '@agentclientprotocol/sdk'
import { startEditor } from './acp/editor.ts'
import { temporaryHome } from './cli/home.ts'

const { session } = methods.agent

test('a turn', async (context) => {
  const { home, environment } = temporaryHome(context)
  const workspace = join(home, 'workspace')
  mkdirSync(workspace, { recursive: true })
  const editor = await startEditor(context, { environment })
  const made = await editor.agent.request(session.new, { cwd: workspace, mcpServers: [] })
  console.log(JSON.stringify(made))
  const { stopReason } = await editor.agent.request(session.prompt, {
    sessionId: made.sessionId,
    prompt: [{ type: 'text', text: '/say Good day.' }],
  })
  console.log(stopReason, JSON.stringify(editor.updates, null, 1), editor.stderr())
  console.log(await editor.end(), editor.stderr())
})
