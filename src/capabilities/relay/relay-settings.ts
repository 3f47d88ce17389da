import { z } from 'zod'

/** A method or any, a path, and whether what is below it counts, too. */
export const CALL_RULE = /^(?:([A-Z]+) )?(?=\/)((?:\/[\w.:~%-]+)*)(\/\*)?$/

export const relaySettings = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether calls of other programs go through this gateway.'),
    signInTokens: z
      .boolean()
      .default(false)
      .describe(
        'Whether the sign-in token of a subscription, which a program sends in place of an API key, goes on to its provider.',
      ),
    paths: z
      .array(z.string().regex(CALL_RULE, 'write it as "/v1/files", "/v1/files/*" or "POST /v1/files"'))
      .default([])
      .describe(
        'Calls that a token of the scope talk may make besides those of known formats and of lists of models: paths below a provider, with or without a method before them and `/*` at their end.',
      ),
    overBudget: z
      .enum(['wait', 'refuse'])
      .default('wait')
      .describe('What happens to a call that could pass a budget: it waits until there is room for it, or is refused.'),
    waitMinutes: z
      .number()
      .min(0)
      .max(60)
      .default(5)
      .describe('How long a call waits for room in a budget before it is refused, minutes.'),
    secrets: z
      .enum(['refuse', 'warn'])
      .default('refuse')
      .describe(
        'What happens to a call whose body contains a secret of this gateway: it is refused, or only reported. One with a token of the gateway is refused always.',
      ),
    assemble: z
      .array(z.string())
      .default([])
      .describe(
        'Names of tokens whose calls are cut where they do not fit into the window of their model: older results and rounds leave, and a note says what they held. Calls of all others leave byte by byte.',
      ),
    maxBodyMegabytes: z
      .number()
      .int()
      .min(1)
      .max(1024)
      .default(256)
      .describe('The largest body of a call, megabytes. `gateway.heldBodyMegabytes` bounds those of all requests.'),
  })
  .prefault({})
  .describe('Calls of other programs, passed on to their provider byte by byte and recorded.')

export type RelaySettings = z.output<typeof relaySettings>
