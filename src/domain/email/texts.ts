/** Texts of emails, in the languages of vaults. Words in braces, such as `{vault}`, are replaced. */
import type { Language } from '../base/language.ts'
import type { UrlNotice } from './notice.ts'

export interface Template {
  readonly subject: string
  readonly lines: readonly string[]
  /** The text of the link to the form, or null if there is no link. */
  readonly button: string | null
}

type TemplateName =
  | 'person'
  | 'beneficiary'
  | 'company'
  | 'code'
  | 'reminder'
  | 'last_reminder'
  | 'changes_requested'
  | 'approved'
  | 'rejected'
  | UrlNotice

interface Texts {
  readonly greeting: string
  readonly greetingByName: string
  readonly templates: Readonly<Record<TemplateName, Template>>
  readonly validUntil: string
  /** For companies, whose form requires a second factor. */
  readonly password: string
  readonly unexpected: string
  readonly support: string
  readonly decline: string
  /** For administrators of a client. */
  readonly administrator: string
}

export const EMAIL_TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    greeting: 'Hello,',
    greetingByName: 'Hello {name},',
    templates: {
      person: {
        subject: 'Verify your identity for {vault}',
        lines: ['{vault} asks you to verify your identity. You need your identity document and a camera.'],
        button: 'Start verification',
      },
      beneficiary: {
        subject: 'Verify your identity for {vault}',
        lines: [
          '{company} has named you in its application to {vault}. {vault} asks you to verify your identity. You need your identity document and a camera.',
        ],
        button: 'Start verification',
      },
      company: {
        subject: 'Your application to {vault}',
        lines: ['{vault} asks for the details and documents of your company.'],
        button: 'Open the form',
      },
      code: {
        subject: 'Your code for {vault}',
        lines: [
          'Enter this one-time code only on the page on which you requested it.',
          '{code}',
          'The code is valid for {minutes} minutes.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} is waiting for your details',
        lines: ['{vault} is waiting for your details. You can continue where you stopped.'],
        button: 'Continue',
      },
      last_reminder: {
        subject: '{vault} will erase your details',
        lines: [
          '{vault} is still waiting for your details. Without them, {vault} will erase what you have entered after {erasure}.',
        ],
        button: 'Continue',
      },
      changes_requested: {
        subject: '{vault} requests changes',
        lines: ['{vault} has reviewed your details and requests changes. The page shows what to correct.'],
        button: 'Show the changes',
      },
      approved: {
        subject: 'Your verification by {vault} is complete',
        lines: ['{vault} has completed your verification. The result is positive.'],
        button: null,
      },
      rejected: {
        subject: 'Your verification by {vault} is complete',
        lines: ['{vault} has completed your verification and cannot accept your application.'],
        button: null,
      },
      webhook_failing: {
        subject: '{host} does not accept webhooks',
        lines: ['The webhook URL at {host} has accepted no delivery for an hour. Check its receiver.'],
        button: 'Show deliveries',
      },
      webhook_recovered: {
        subject: '{host} accepts webhooks again',
        lines: ['The webhook URL at {host} accepts deliveries again. You can send the failed ones again.'],
        button: 'Show deliveries',
      },
    },
    validUntil: 'The link is valid until {date}.',
    password:
      'To open the form, you need the password from {vault}, or a one-time code that the page sends to this address.',
    unexpected: 'If you did not expect this email, ignore it.',
    support: 'Questions? Write to {support}.',
    decline: 'Stop reminders',
    administrator: 'You receive this email because you administer the webhooks of {vault}.',
  },
  de: {
    greeting: 'Guten Tag,',
    greetingByName: 'Guten Tag {name},',
    templates: {
      person: {
        subject: 'Identitätsprüfung für {vault}',
        lines: [
          '{vault} bittet Sie, Ihre Identität zu bestätigen. Sie benötigen Ihren Ausweis und eine Kamera.',
        ],
        button: 'Prüfung starten',
      },
      beneficiary: {
        subject: 'Identitätsprüfung für {vault}',
        lines: [
          '{company} hat Sie im Antrag bei {vault} angegeben. {vault} bittet Sie, Ihre Identität zu bestätigen. Sie benötigen Ihren Ausweis und eine Kamera.',
        ],
        button: 'Prüfung starten',
      },
      company: {
        subject: 'Ihr Antrag bei {vault}',
        lines: ['{vault} benötigt Angaben und Dokumente Ihres Unternehmens.'],
        button: 'Formular öffnen',
      },
      code: {
        subject: 'Ihr Code für {vault}',
        lines: [
          'Geben Sie diesen Einmalcode nur auf der Seite ein, auf der Sie ihn angefordert haben.',
          '{code}',
          'Der Code gilt {minutes} Minuten.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} wartet auf Ihre Angaben',
        lines: ['{vault} wartet auf Ihre Angaben. Sie können dort fortfahren, wo Sie aufgehört haben.'],
        button: 'Fortfahren',
      },
      last_reminder: {
        subject: '{vault} löscht Ihre Angaben',
        lines: [
          '{vault} wartet noch auf Ihre Angaben. Ohne sie löscht {vault} Ihre bisherigen Eingaben nach dem {erasure}.',
        ],
        button: 'Fortfahren',
      },
      changes_requested: {
        subject: '{vault} bittet um Änderungen',
        lines: ['{vault} hat Ihre Angaben geprüft und bittet um Änderungen. Die Seite zeigt die Hinweise.'],
        button: 'Änderungen anzeigen',
      },
      approved: {
        subject: 'Ihre Prüfung durch {vault} ist abgeschlossen',
        lines: ['{vault} hat Ihre Prüfung abgeschlossen. Das Ergebnis ist positiv.'],
        button: null,
      },
      rejected: {
        subject: 'Ihre Prüfung durch {vault} ist abgeschlossen',
        lines: ['{vault} hat Ihre Prüfung abgeschlossen und kann Ihren Antrag nicht annehmen.'],
        button: null,
      },
      webhook_failing: {
        subject: '{host} nimmt keine Webhooks an',
        lines: [
          'Die Webhook-URL bei {host} hat seit einer Stunde keine Zustellung angenommen. Prüfen Sie den Empfänger.',
        ],
        button: 'Zustellungen anzeigen',
      },
      webhook_recovered: {
        subject: '{host} nimmt wieder Webhooks an',
        lines: [
          'Die Webhook-URL bei {host} nimmt wieder Zustellungen an. Sie können die fehlgeschlagenen erneut senden.',
        ],
        button: 'Zustellungen anzeigen',
      },
    },
    validUntil: 'Der Link gilt bis zum {date}.',
    password:
      'Zum Öffnen benötigen Sie das Passwort von {vault} oder einen Einmalcode, den die Seite an diese Adresse sendet.',
    unexpected: 'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie.',
    support: 'Fragen? Schreiben Sie an {support}.',
    decline: 'Erinnerungen abbestellen',
    administrator: 'Sie erhalten diese E-Mail, weil Sie die Webhooks von {vault} verwalten.',
  },
  pl: {
    greeting: 'Dzień dobry,',
    greetingByName: 'Dzień dobry, {name},',
    templates: {
      person: {
        subject: 'Weryfikacja tożsamości dla {vault}',
        lines: [
          '{vault} prosi o potwierdzenie tożsamości. Potrzebny jest dokument tożsamości i aparat fotograficzny.',
        ],
        button: 'Rozpocznij weryfikację',
      },
      beneficiary: {
        subject: 'Weryfikacja tożsamości dla {vault}',
        lines: [
          'We wniosku firmy {company} dla {vault} podano ten adres. {vault} prosi o potwierdzenie tożsamości. Potrzebny jest dokument tożsamości i aparat fotograficzny.',
        ],
        button: 'Rozpocznij weryfikację',
      },
      company: {
        subject: 'Wniosek dla {vault}',
        lines: ['{vault} prosi o dane i dokumenty firmy.'],
        button: 'Otwórz formularz',
      },
      code: {
        subject: 'Kod dla {vault}',
        lines: [
          'Ten kod jednorazowy należy wpisać tylko na stronie, na której o niego poproszono.',
          '{code}',
          'Kod jest ważny przez {minutes} minut.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} czeka na dane',
        lines: ['{vault} czeka na dane. Można kontynuować od miejsca, w którym praca została przerwana.'],
        button: 'Kontynuuj',
      },
      last_reminder: {
        subject: '{vault} usunie podane dane',
        lines: [
          '{vault} nadal czeka na dane. Bez nich {vault} usunie po {erasure} wszystko, co zostało wpisane.',
        ],
        button: 'Kontynuuj',
      },
      changes_requested: {
        subject: '{vault} prosi o zmiany',
        lines: ['{vault} sprawdził dane i prosi o zmiany. Strona pokazuje, co należy poprawić.'],
        button: 'Pokaż zmiany',
      },
      approved: {
        subject: 'Weryfikacja dla {vault} zakończona',
        lines: ['{vault} zakończył weryfikację. Wynik jest pozytywny.'],
        button: null,
      },
      rejected: {
        subject: 'Weryfikacja dla {vault} zakończona',
        lines: ['{vault} zakończył weryfikację i nie może przyjąć wniosku.'],
        button: null,
      },
      webhook_failing: {
        subject: '{host} nie przyjmuje webhooków',
        lines: ['Adres webhooka na {host} od godziny nie przyjął żadnej wiadomości. Sprawdź odbiornik.'],
        button: 'Pokaż wysyłki',
      },
      webhook_recovered: {
        subject: '{host} znów przyjmuje webhooki',
        lines: ['Adres webhooka na {host} znów przyjmuje wiadomości. Nieudane można wysłać ponownie.'],
        button: 'Pokaż wysyłki',
      },
    },
    validUntil: 'Link jest ważny do {date}.',
    password:
      'Aby otworzyć formularz, potrzebne jest hasło od {vault} albo kod jednorazowy, który strona wyśle na ten adres.',
    unexpected: 'Jeśli ta wiadomość jest nieoczekiwana, można ją zignorować.',
    support: 'Pytania? Napisz na adres {support}.',
    decline: 'Nie przypominaj',
    administrator: 'Otrzymujesz tę wiadomość, ponieważ zarządzasz webhookami {vault}.',
  },
}
