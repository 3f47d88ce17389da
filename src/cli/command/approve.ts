import { approveCall } from '../approval/approve-call.ts'
import { listWaiting } from '../approval/list.ts'
import type { Command, CommandCall } from '../../capability.ts'
import { usageFailure } from '../failure.ts'
import { refuseTools } from '../for-persons.ts'

export const approve: Command = {
  name: 'approve',
  summary: 'decide about calls that wait for you',
  usage: [
    'approve [--json]',
    'approve ID [--for-session] [--yes] [--follow] [--json]',
    'approve ID --deny [--reason TEXT] [--follow] [--json]',
  ],
  details:
    'Without an ID it lists what waits. With one, or as much of it as is unique, it shows the tool, what exactly would ' +
    'run, the folder and what would change, and asks. An approval holds for exactly what was shown. The turn then goes on: in ' +
    'the running gateway, or where there is none in this very process, which shows the answer and ends with exit code 3 where ' +
    'the turn waits again.',
  words: { least: 0, most: 1 },
  options: {
    'for-session': { summary: 'the very same call needs no second question in this session' },
    deny: { summary: 'do not let it run' },
    reason: { value: 'TEXT', summary: 'why not; the model reads it' },
    yes: { summary: 'approve without asking' },
    follow: { summary: 'show how the turn goes on in the running gateway, too' },
    json: { summary: 'print one waiting call per line, or {decided, decision, …} of the one that was decided' },
  },
  async run(call, io) {
    refuseTools(io, 'approve')
    checkOptions(call)
    const [id] = call.words
    return id === undefined || id === 'list' ? await listWaiting(call, io) : await approveCall(id, call, io)
  },
}

function checkOptions(call: CommandCall): void {
  const [id] = call.words
  const deciding = ['for-session', 'deny', 'reason', 'yes', 'follow'].find((option) => call.has(option))
  if (deciding !== undefined && (id === undefined || id === 'list')) {
    throw usageFailure(`--${deciding} needs the ID of a call.`, '`foreword approve` lists what waits.')
  }
  if (call.has('reason') && !call.has('deny')) {
    throw usageFailure('--reason goes with --deny.', 'Write `foreword approve ID --deny --reason TEXT`.')
  }
  if (call.has('deny') && (call.has('yes') || call.has('for-session'))) {
    throw usageFailure('--deny goes without --yes and --for-session.', 'Decide on one of them.')
  }
}
