import { Copy, FileDown, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import type { Assembled } from './what-if-assembly.ts'
import { calibratedManifest } from '../../../src/context.ts'
import { type RebuiltRequest, type ReportedManifest, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { readScenario } from './call-scenario.ts'
import { leftOutTexts } from './left-out-texts.ts'
import type { NextCall } from './next-call.ts'
import { curlCommand } from './share-curl.ts'
import { sharedCallHtml } from './share-html.ts'
import type { Inspected } from './inspected.ts'
import { saveFile } from '../parts/save-file.ts'
import { entryKey, textsOf } from './share-texts.ts'
import { conversationTitles } from './share-titles.ts'
import { underway } from '../api/underway.ts'
import { assembleBeside } from './what-if-assembler.ts'
import { copyText } from '../parts/copy-text.tsx'
import { t } from '../language/language.ts'

/** The exact request of a call: the proof that it is the one that left, a command that sends it again, and a file to give away. */
export default function SharePanel({ call, next, program }: Inspected): ReactNode {
  const { data, error } = useResource<RebuiltRequest>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/request?body=true`,
    { revalidateOnFocus: false },
  )
  if (call === undefined) {
    return <p className="text-sm text-soft">{t`Open a call to see the request that was sent, and to share it.`}</p>
  }
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const { body, wire } = data
  const url = data.call.outcome?.wire?.url
  const command = body === undefined || url === undefined ? undefined : curlCommand({ url, body })
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Proof rebuilt={data} />
      <div className="flex flex-wrap gap-2">
        <Button look="plain" disabled={command === undefined} onClick={() => void copy(command!)}>
          <Copy size={14} aria-hidden /> {t`Copy as curl`}
        </Button>
        <Button look="plain" onClick={() => void share(data, next, program !== undefined)}>
          <FileDown size={14} aria-hidden /> {t`Share as one file`}
        </Button>
      </div>
      {command === undefined ? (
        <p className="text-soft">
          {wire?.state === 'unknown'
            ? t`The body cannot be rebuilt: ${wire.why}.`
            : t`No request was sent to a provider.`}
        </p>
      ) : (
        <pre
          aria-label={t`The request as a command`}
          tabIndex={0}
          className="max-h-96 overflow-auto rounded border border-line bg-sunken p-2 text-xs whitespace-pre-wrap wrap-anywhere"
        >
          {command}
        </pre>
      )}
    </div>
  )
}

function Proof({ rebuilt: { identical, digest, wire } }: { readonly rebuilt: RebuiltRequest }): ReactNode {
  return (
    <dl className="flex flex-col gap-2">
      <div>
        <dt className={`flex items-center gap-1.5 font-medium ${identical ? 'text-good' : 'text-bad'}`}>
          <ShieldCheck size={16} aria-hidden />
          {identical ? t`Rebuilt and identical` : t`Rebuilt, but different`}
        </dt>
        <dd className="font-mono text-xs text-soft wrap-anywhere">{digest}</dd>
      </div>
      {wire !== undefined && wire.state !== 'unknown' && (
        <div>
          <dt className={wire.state === 'identical' ? 'text-good' : 'text-bad'}>
            {wire.state === 'identical'
              ? t`The body that was sent is identical, too`
              : t`The body that was sent differs`}
          </dt>
          <dd className="font-mono text-xs text-soft wrap-anywhere">{wire.expected}</dd>
        </div>
      )}
    </dl>
  )
}

async function copy(text: string): Promise<void> {
  if (await copyText(text))
    showToast({ text: t`Copied. If the provider needs a key, put yours into the variable API_KEY.` })
}

async function share({ call, digest }: RebuiltRequest, next: NextCall, isForeign: boolean): Promise<void> {
  const { id, time, model } = call
  try {
    const { figures, fallback: why } = await api<ReportedManifest>(`/api/calls/${encodeURIComponent(id)}/manifest`)
    const manifest = calibratedManifest(call.manifest, figures.total)
    const fallback = why?.sentence
    if (isForeign) {
      const parts = await api<Pick<Assembled, 'manifest' | 'pieces'>>(`/api/calls/${encodeURIComponent(id)}/parts`)
      const shared = {
        id,
        time,
        model,
        manifest,
        figures,
        texts: textsOf(parts),
        titles: new Map<string, string>(),
        digest,
      }
      return saveFile(`${id}.html`, sharedCallHtml(shared), 'text/html')
    }
    const scenario = await readScenario({ call: id, next })
    const left = manifest.entries.flatMap((entry) => {
      const texts = entry.outcome === 'omitted' ? leftOutTexts(entry, manifest, scenario) : []
      return texts.length === 0 ? [] : [[entryKey(entry), texts.map(({ text }) => text).join('\n\n')] as const]
    })
    const texts = new Map([...left, ...textsOf(await underway(assembleBeside(scenario)))])
    const shared = { id, time, model, manifest, figures, fallback, texts, titles: conversationTitles(scenario), digest }
    saveFile(`${id}.html`, sharedCallHtml(shared), 'text/html')
  } catch (error) {
    showToast({ text: error instanceof Error ? error.message : String(error) })
  }
}
