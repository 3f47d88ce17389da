import { z } from 'zod'
import { environmentVariable, homePath } from '../../capability.ts'

const webhook = z.strictObject({
  url: z
    .url({ protocol: /^https$/ })
    .describe('Public address of the gateway; /channels/telegram is added where it names no path.'),
  secretEnv: environmentVariable()
    .optional()
    .describe('Environment variable that holds the secret of the calls; made unless given.'),
})

/** Keys below `channels.telegram`. */
export const telegram = z.strictObject({
  tokenEnv: environmentVariable().optional().describe("Environment variable that holds the bot's token."),
  tokenFile: homePath({ path: 'file' }).optional().describe("File that holds the bot's token; relative to the home."),
  allowedUsers: z.array(z.int()).default([]).describe('Ids of the people who may talk to the bot.'),
  allowedChats: z
    .array(z.int())
    .default([])
    .describe('Ids of the groups that the bot answers in when it is mentioned.'),
  linkPreviews: z
    .boolean()
    .default(false)
    .describe('Whether Telegram fetches the pages that a reply links to: a reply can send data out that way.'),
  apiRoot: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .describe('Where the Bot API is; a server of your own takes larger files.'),
  webhook: webhook.optional().describe('Telegram calls the gateway. The gateway asks Telegram unless given.'),
})
