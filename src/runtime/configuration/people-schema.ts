import { z } from 'zod'
import { share, tokens } from '../../capability.ts'

export const usDollars = z.number().min(0)

/** A limit in money or tokens. */
export const budget = z.strictObject({
  limit: z
    .union([z.strictObject({ usd: usDollars.max(1_000_000) }), z.strictObject({ tokens: tokens() })])
    .describe('`{"usd": 5}`: US dollars. `{"tokens": 100000}`: tokens of prompts and answers together.'),
  per: z
    .enum(['turn', 'session', 'day', 'month'])
    .describe('What the limit is of: each turn, each session, each day or each month in `context.timeZone`.'),
  agent: z.string().min(1).optional().describe('Only calls of the custom agent with this id.'),
  token: z.string().min(1).optional().describe('Only calls for messages that came with the token of this name.'),
  channel: z.string().min(1).optional().describe('Only calls for messages of this channel.'),
  warnAt: share().default(0.8).describe('Share of the limit at which a warning is shown, once in each period, 0 to 1.'),
})

const personBudgets = z.array(budget.omit({ agent: true, token: true, channel: true }))

const ofEachPerson = {
  budgets: personBudgets
    .default([])
    .describe('Limits in money or tokens of each person: those of `budgets` are of the owner.'),
  maxOpenTurns: z
    .int()
    .min(1)
    .max(100_000)
    .default(100)
    .describe('How many turns of one person may be accepted and not ended. More are refused with `overloaded`, 503.'),
  turnsAtOnce: z
    .int()
    .min(1)
    .max(10_000)
    .default(4)
    .describe('How many turns of one person run at once; the others wait, so that nobody takes the time of everybody.'),
  maxFiles: z
    .int()
    .min(1)
    .optional()
    .describe('How many files one person may have. More are refused with `over-quota`, 507. Any number unless given.'),
  maxFileBytes: z
    .int()
    .min(1)
    .optional()
    .describe('How many bytes the files of one person may have together. As many as the disk has unless given.'),
  maxWorkspaceBytes: z
    .int()
    .min(1)
    .optional()
    .describe(
      'How many bytes there may be in the workspace of one person: a tool that would write more is refused, and a program is stopped. As many as the disk has unless given.',
    ),
  readersAtOnce: z
    .int()
    .min(1)
    .max(3)
    .default(2)
    .describe('How many files of one person are read at once. A gateway reads four, those of all people together.'),
}

/** What a row of `people.limits` says in the place of one for everybody. */
const ofSome = {
  budgets: personBudgets.optional().describe('In place of `people.budgets`, for each of them.'),
  maxOpenTurns: ofEachPerson.maxOpenTurns.unwrap().optional().describe('In place of `people.maxOpenTurns`.'),
  turnsAtOnce: ofEachPerson.turnsAtOnce.unwrap().optional().describe('In place of `people.turnsAtOnce`.'),
  maxFiles: ofEachPerson.maxFiles.describe('In place of `people.maxFiles`.'),
  maxFileBytes: ofEachPerson.maxFileBytes.describe('In place of `people.maxFileBytes`.'),
  maxWorkspaceBytes: ofEachPerson.maxWorkspaceBytes.describe('In place of `people.maxWorkspaceBytes`.'),
  readersAtOnce: ofEachPerson.readersAtOnce.unwrap().optional().describe('In place of `people.readersAtOnce`.'),
}

/** What holds for the people beside the owner. */
export const people = z.strictObject({
  ...ofEachPerson,
  limits: z
    .array(
      z
        .strictObject({
          for: z
            .string()
            .regex(
              /^(?:group:.{1,200}|[a-z][a-z0-9-]*)$/,
              'must be the name of a person, or `group:` and the name of a group',
            )
            .describe('The name of a person, or `group:NAME`.'),
          sharedBudgets: z
            .array(budget.pick({ limit: true, warnAt: true }).extend({ per: z.enum(['day', 'month']) }))
            .optional()
            .describe('Limits in money or tokens of all members of the group together.'),
          ...ofSome,
        })
        .refine(
          (row) => row.sharedBudgets === undefined || row.for.startsWith('group:'),
          'has `sharedBudgets` and is about one person: use `budgets`',
        ),
    )
    .default([])
    .describe(
      'Other limits for some: of each limit the first row counts that is about the person and names it. Without one, that for everybody.',
    ),
})
