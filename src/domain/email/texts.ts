/** Texts of emails, in the languages of vaults. Words in braces, such as `{vault}`, are replaced. */
import type { Language } from '../base/language.ts'
import type { UrlNotice } from './notice.ts'

interface Template {
  readonly subject: string
  readonly lines: readonly string[]
  /** The text of the link to the form, or null if there is no link. */
  readonly button: string | null
}

type TemplateName =
  | 'person'
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
  /** The object of the verification, for emails about its result. */
  readonly verified: Readonly<Record<'person' | 'company', string>>
  /** The company whose application the email is about. */
  readonly about: string
  /** The reason for an email to a person whom a company has named, possibly as an owner. */
  readonly named: string
  readonly owner: string
  readonly templates: Readonly<Record<TemplateName, Template>>
  readonly validUntil: string
  /** For companies, whose form requires a second factor. */
  readonly password: string
  readonly unexpected: string
  /** For an email that names a company. */
  readonly unknown: string
  readonly support: string
  /** For vaults without an address. */
  readonly contact: string
  readonly reference: string
  readonly decline: string
  /** For administrators of a client. */
  readonly administrator: string
}

export const EMAIL_TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    greeting: 'Hello,',
    greetingByName: 'Hello {name},',
    verified: { person: 'your identity', company: 'your company' },
    about: 'This email is about {company}.',
    named: '{company} has named you in its application to {vault}.',
    owner: '{company} has named you as an owner in its application to {vault}.',
    templates: {
      person: {
        subject: 'Verify your identity for {vault}',
        lines: [
          '{vault} asks you to verify your identity. Anti-money-laundering law requires this.',
          'This takes about five minutes. You need your identity document, and a phone or computer with a camera. You can stop at any time and continue with the same link.',
        ],
        button: 'Start verification',
      },
      company: {
        subject: 'Your application to {vault}',
        lines: [
          '{vault} asks for the details and documents of your company.',
          'This takes about 15 minutes. You can stop at any time and continue with the same link.',
        ],
        button: 'Open the form',
      },
      code: {
        subject: 'Your code for {vault}',
        lines: [
          'Enter this code on the page on which you requested it, and nowhere else. It opens your form.',
          '{code}',
          'The code is valid for {minutes} minutes. Do not share it.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} is waiting for your details',
        lines: ['{vault} is waiting for your details. You can start now, or continue where you stopped.'],
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
        lines: [
          '{vault} has reviewed your details and requests changes. The page shows what to correct. Your other details stay as they are.',
        ],
        button: 'Show the changes',
      },
      approved: {
        subject: 'Your verification by {vault} is complete',
        lines: [
          '{vault} has verified {verified}.',
          'You do not need to do anything. {vault} informs you of the next step.',
        ],
        button: null,
      },
      rejected: {
        subject: 'Your verification by {vault} is complete',
        lines: [
          '{vault} could not verify {verified}.',
          'To see the details, open your link again. If it has expired, or you think that the result is a mistake, contact {vault}.',
        ],
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
    unknown: 'If you do not know {company}, ignore this email.',
    support: 'Questions? Write to {support}.',
    contact: 'Questions? Contact {vault}.',
    reference: 'Reference: {reference}',
    decline: 'Stop reminders',
    administrator: 'You receive this email because you administer the webhooks of {vault}.',
  },
  de: {
    greeting: 'Guten Tag,',
    greetingByName: 'Guten Tag {name},',
    verified: { person: 'Ihre Identität', company: 'Ihr Unternehmen' },
    about: 'Diese E-Mail betrifft {company}.',
    named: '{company} hat Sie im Antrag bei {vault} angegeben.',
    owner: '{company} nennt Sie im Antrag bei {vault} unter den Inhabern.',
    templates: {
      person: {
        subject: 'Identitätsprüfung für {vault}',
        lines: [
          '{vault} bittet Sie, Ihre Identität nachzuweisen. Das Geldwäschegesetz verlangt diese Prüfung.',
          'Das dauert etwa fünf Minuten. Sie brauchen Ihren Ausweis und ein Telefon oder einen Computer mit Kamera. Sie können jederzeit unterbrechen und mit demselben Link weitermachen.',
        ],
        button: 'Prüfung starten',
      },
      company: {
        subject: 'Ihr Antrag bei {vault}',
        lines: [
          '{vault} bittet um Angaben und Dokumente Ihres Unternehmens.',
          'Das dauert etwa 15 Minuten. Sie können jederzeit unterbrechen und mit demselben Link weitermachen.',
        ],
        button: 'Formular öffnen',
      },
      code: {
        subject: 'Ihr Code für {vault}',
        lines: [
          'Geben Sie diesen Code nur auf der Seite ein, auf der Sie ihn angefordert haben. Er öffnet Ihr Formular.',
          '{code}',
          'Der Code gilt {minutes} Minuten. Geben Sie ihn nicht weiter.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} wartet auf Ihre Angaben',
        lines: [
          '{vault} wartet auf Ihre Angaben. Sie können jetzt beginnen oder dort weitermachen, wo Sie aufgehört haben.',
        ],
        button: 'Weiter',
      },
      last_reminder: {
        subject: '{vault} löscht Ihre Angaben',
        lines: [
          '{vault} wartet noch auf Ihre Angaben. Ohne sie löscht {vault} Ihre bisherigen Eingaben nach dem {erasure}.',
        ],
        button: 'Weiter',
      },
      changes_requested: {
        subject: '{vault} bittet um Korrekturen',
        lines: [
          '{vault} hat Ihre Angaben geprüft und bittet um Korrekturen. Die Seite zeigt, was zu korrigieren ist. Ihre übrigen Angaben bleiben, wie sie sind.',
        ],
        button: 'Korrekturen anzeigen',
      },
      approved: {
        subject: 'Ihre Prüfung durch {vault} ist abgeschlossen',
        lines: [
          '{vault} hat {verified} bestätigt.',
          'Sie müssen nichts tun. {vault} informiert Sie über den nächsten Schritt.',
        ],
        button: null,
      },
      rejected: {
        subject: 'Ihre Prüfung durch {vault} ist abgeschlossen',
        lines: [
          '{vault} konnte {verified} nicht bestätigen.',
          'Einzelheiten sehen Sie, wenn Sie Ihren Link wieder öffnen. Wenn er abgelaufen ist oder Sie das Ergebnis für einen Irrtum halten, wenden Sie sich an {vault}.',
        ],
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
      'Zum Öffnen brauchen Sie das Passwort von {vault} oder einen Einmalcode, den die Seite an diese Adresse sendet.',
    unexpected: 'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie.',
    unknown: 'Wenn Sie {company} nicht kennen, ignorieren Sie diese E-Mail.',
    support: 'Fragen? Schreiben Sie an {support}.',
    contact: 'Fragen? Wenden Sie sich an {vault}.',
    reference: 'Vorgangsnummer: {reference}',
    decline: 'Erinnerungen abbestellen',
    administrator: 'Sie erhalten diese E-Mail, weil Sie die Webhooks von {vault} verwalten.',
  },
  pl: {
    greeting: 'Dzień dobry,',
    greetingByName: 'Dzień dobry, {name},',
    verified: { person: 'Państwa tożsamości', company: 'Państwa firmy' },
    about: 'Ta wiadomość dotyczy firmy {company}.',
    named: 'Firma {company} podała Państwa dane we wniosku do {vault}.',
    owner: 'Firma {company} wymieniła Państwa we wniosku do {vault} wśród swoich właścicieli.',
    templates: {
      person: {
        subject: 'Weryfikacja tożsamości dla {vault}',
        lines: [
          '{vault} prosi o potwierdzenie tożsamości. Wymagają tego przepisy o przeciwdziałaniu praniu pieniędzy.',
          'Zajmie to około pięciu minut. Potrzebne są dokument tożsamości oraz telefon z aparatem lub komputer z kamerą. W dowolnej chwili można przerwać i kontynuować za pomocą tego samego linku.',
        ],
        button: 'Rozpocznij weryfikację',
      },
      company: {
        subject: 'Wniosek do {vault}',
        lines: [
          '{vault} prosi o dane i dokumenty firmy.',
          'Zajmie to około 15 minut. W dowolnej chwili można przerwać i kontynuować za pomocą tego samego linku.',
        ],
        button: 'Otwórz formularz',
      },
      code: {
        subject: 'Kod do formularza w {vault}',
        lines: [
          'Proszę wpisać ten kod tylko na stronie, na której go zamówiono. Kod otwiera Państwa formularz.',
          '{code}',
          'Kod jest ważny przez {minutes} minut. Proszę nikomu go nie podawać.',
        ],
        button: null,
      },
      reminder: {
        subject: '{vault} czeka na Państwa dane',
        lines: ['{vault} czeka na Państwa dane. Można zacząć teraz albo wrócić do rozpoczętego formularza.'],
        button: 'Kontynuuj',
      },
      last_reminder: {
        subject: '{vault} usunie podane dane',
        lines: [
          '{vault} nadal czeka na Państwa dane. Bez nich {vault} usunie po {erasure} wszystko, co zostało wpisane.',
        ],
        button: 'Kontynuuj',
      },
      changes_requested: {
        subject: '{vault} prosi o poprawki',
        lines: [
          'Po sprawdzeniu danych {vault} prosi o poprawki. Strona pokaże, co należy poprawić. Reszta pozostaje bez zmian.',
        ],
        button: 'Pokaż poprawki',
      },
      approved: {
        subject: 'Weryfikacja dla {vault} zakończona',
        lines: [
          'Weryfikacja {verified} w {vault} zakończyła się pomyślnie.',
          'Nie trzeba nic robić. {vault} poinformuje Państwa o następnym kroku.',
        ],
        button: null,
      },
      rejected: {
        subject: 'Weryfikacja dla {vault} zakończona',
        lines: [
          'Weryfikacja {verified} w {vault} nie powiodła się.',
          'Szczegóły są widoczne po ponownym otwarciu linku. Jeśli link stracił ważność albo wynik wydaje się błędny, proszę skontaktować się z {vault}.',
        ],
        button: null,
      },
      webhook_failing: {
        subject: '{host} nie przyjmuje webhooków',
        lines: [
          'Adres webhooka na {host} od godziny nie przyjął żadnej wiadomości. Proszę sprawdzić odbiornik.',
        ],
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
      'Do otwarcia formularza potrzebne jest hasło od {vault} albo kod jednorazowy, który strona wyśle na ten adres.',
    unexpected: 'Jeśli nie oczekiwali Państwo tej wiadomości, proszę ją zignorować.',
    unknown: 'Jeśli nie znają Państwo firmy {company}, proszę zignorować tę wiadomość.',
    support: 'Pytania? Proszę pisać na adres {support}.',
    contact: 'Pytania? Proszę skontaktować się z {vault}.',
    reference: 'Numer sprawy: {reference}',
    decline: 'Wyłącz przypomnienia',
    administrator: 'Otrzymują Państwo tę wiadomość, ponieważ zarządzają Państwo webhookami {vault}.',
  },
}
