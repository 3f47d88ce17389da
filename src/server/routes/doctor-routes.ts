import { type Finding, type Route, route, type StreamDefinition } from '../../capability.ts'
import { errorBody } from '../answer.ts'
import { toFailure } from '../failure.ts'
import { sharedRun } from '../shared-run.ts'

/** What `foreword doctor` finds, for those who are not at the terminal. */
export function doctorRoutes(
  examine: () => AsyncIterable<Finding>,
  examineSecurity?: () => AsyncIterable<Finding>,
): readonly Route[] {
  const findings = sharedRun(examine)
  return [
    ...(examineSecurity ? [securityRoute(sharedRun(examineSecurity))] : []),
    route({
      method: 'GET',
      path: '/api/doctor',
      scope: 'admin',
      tag: 'system',
      summary: 'Checks the home as `foreword doctor` does: each finding as a server-sent event, when it is known',
      description:
        '`event: finding` has `{check, level, message, hint}`, where `level` is `ok`, `warning` or `problem`. `event: end` is the last. ' +
        'Those who ask while the checks run share them; when nobody waits any more, they end.',
      answers: { 200: { description: 'Findings', media: 'text/event-stream' } },
      handle: ({ stream }) => stream(findingEvents(findings)),
    }),
  ]
}

function securityRoute(findings: Findings): Route {
  return route({
    method: 'GET',
    path: '/api/doctor/security',
    scope: 'admin',
    tag: 'system',
    summary: 'Checks for known holes as `foreword doctor --security` does: each finding as a server-sent event',
    description:
      'As `/api/doctor`; each finding has an `id`, too, that stays the same in later versions. Nothing is changed.',
    answers: { 200: { description: 'Findings', media: 'text/event-stream' } },
    handle: ({ stream }) => stream(findingEvents(findings)),
  })
}

type Findings = (signal: AbortSignal) => AsyncIterable<Finding>

function findingEvents(findings: Findings): StreamDefinition {
  return {
    async run(sink) {
      sink.begin()
      for await (const finding of findings(sink.signal)) {
        if (sink.signal.aborted) return
        await sink.write(`event: finding\ndata: ${JSON.stringify(finding)}\n\n`)
      }
      await sink.write('event: end\ndata: {}\n\n')
    },
    lastWords: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toFailure(error)))}\n\n`,
    isAnswer: true,
  }
}
