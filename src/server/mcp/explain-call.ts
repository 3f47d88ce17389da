import { outline } from '../../context.ts'
import type { McpPrompt } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import { parsedAddress } from './addresses.ts'
import { explainCallPrompt } from './definitions.ts'
import { invalidParams } from './protocol-server.ts'

/** A prompt that a person may pick in their client: what a model was sent in one call. */
export function explainCall(store: Pick<SessionStore, 'call'>): McpPrompt {
  return {
    definition: explainCallPrompt,
    async get({ call_id: given = '' }) {
      const address = parsedAddress(given)
      const id = address?.kind === 'calls' ? address.id : given
      const call = await store.call(id)
      if (call === undefined) throw invalidParams(`There is no call ${JSON.stringify(id)}.`)
      const uri = `foreword://calls/${encodeURIComponent(id)}/outline`
      const text = `${outline(call.manifest)}\n`
      return {
        description: `The call ${id}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'text',
              text:
                `Explain what ${call.model} was sent in the call ${id}. Each line of its outline is one piece: where it ` +
                'stands, its form, its tokens, its tokens in full, whether it was included, and why not. Say in plain ' +
                'words what was left out or shortened, and what that means for the answer.',
            },
          },
          { role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text } } },
        ],
      }
    },
  }
}
