/**
 * A channel of your own. Copy this folder into the home and name its capability in config.json:
 * `"capabilities": ["./own-channel/mailbox.ts"]`. Then pair a conversation: `foreword pair --channel mailbox` shows a line;
 * put it into a file `mailbox/anna/in/pair.txt` of the home. What Anna writes into other files there is answered in
 * `mailbox/anna/out`.
 */
import { capability } from 'foreword/capability'
import { stat } from 'node:fs/promises'
import { z } from 'zod'

const settings = z.strictObject({
  folder: z.string().default('mailbox').describe('Folder with a folder for each conversation.').meta({ path: true }),
  everyMs: z.int().min(10).default(500).describe('How often it is looked at, ms.'),
  longest: z.int().min(100).default(4000).describe('The longest reply in one file, characters.'),
})

export default capability({
  name: 'mailbox',
  summary: 'Letters as files.',
  settings: { schema: settings, key: 'channels.mailbox' },
  channels: async (self) => {
    const { mailboxChannel } = await import('./mailbox-channel.ts')
    return [mailboxChannel(self.settings)]
  },
  checks: async ({ settings: { folder } }) => {
    const isThere = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    )
    return isThere
      ? [{ check: 'mailbox', level: 'ok', message: `Letters are read from ${folder}.` }]
      : [
          {
            check: 'mailbox',
            level: 'warning',
            message: `There is no folder ${folder}.`,
            hint: `Make it: mkdir ${folder}`,
          },
        ]
  },
})
