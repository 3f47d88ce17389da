import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { chooseNotices, chosenNotices } from '../parts/notices.ts'
import { chooseTheme, chosenTheme, themes } from '../parts/theme.ts'
import { Select } from '../parts/fields.tsx'
import { chooseLanguage, languageTitle, wasChosenJustNow } from '../language/choice.ts'
import { chosenLanguage, languages, t } from '../language/language.ts'

export default function AppearancePage(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme)
  const language = useRef<HTMLSelectElement>(null)
  useEffect(() => {
    if (wasChosenJustNow()) language.current?.focus()
  }, [])
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">{t`How the page looks, its language, and when it notifies you. This browser keeps all of it.`}</p>
      <fieldset className="flex flex-col gap-2 text-sm">
        <legend className="mb-2 font-medium">{t`Colours`}</legend>
        {themes.map(({ id, title }) => (
          <label key={id} className="flex items-center gap-2">
            <input
              type="radio"
              name="theme"
              checked={theme === id}
              className="accent-accent"
              onChange={() => {
                chooseTheme(id)
                setTheme(id)
              }}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <div className="max-w-60">
        <Select
          ref={language}
          label={t`Language`}
          value={chosenLanguage()}
          options={[
            { value: 'system', title: t`As the browser` },
            ...languages.map((tag) => ({ value: tag, title: languageTitle(tag) })),
          ]}
          onChange={({ target }) => chooseLanguage(target.value)}
        />
      </div>
      <Notices />
    </div>
  )
}

const noticeWords = {
  on: t`Notifies you of questions that wait and long turns that have ended, while this page is hidden.`,
  off: t`Notifies you when a question waits or a turn of over 30 seconds ends, while this page is hidden.`,
  blocked: t`This browser blocks notifications of this page. Allow them in the settings of the site.`,
} as const

function Notices(): ReactNode {
  const [choice, setChoice] = useState(chosenNotices)
  return (
    <section aria-labelledby="notices" className="flex flex-col items-start gap-2 text-sm">
      <h2 id="notices" className="font-medium">
        {t`Notifications`}
      </h2>
      <p role="status">{noticeWords[choice]}</p>
      {choice !== 'blocked' && (
        <Button look="plain" onClick={() => void chooseNotices(choice === 'off').then(setChoice)}>
          {choice === 'on' ? t`No notifications` : t`Notify me`}
        </Button>
      )}
    </section>
  )
}
