import type { Words } from '../words'

/** The words of the pages in German. */
export const german: Words = {
  scopes: { profile: 'Erfahren, wer Sie sind' },
  consent: {
    question: '{client} mit {tenant} verbinden?',
    confirm: 'Möchten Sie diese App wirklich verbinden?',
    confirmTitle: 'Bitte bestätigen: {question}',
    quote: '„{name}“',
    signedInAs: 'Sie sind als {customer} angemeldet.',
    otherAccount: 'Anderes Konto verwenden',
    scopes: '{client} kann dann:',
    unused: 'Die Verbindung endet, wenn die App sie {time} lang nicht nutzt.',
    lasts: 'Die Verbindung besteht {time} lang.',
    disconnect: 'Sie können die Verbindung jederzeit unter {apps} trennen.',
    publisher: 'Herausgegeben von',
    destination: 'Sie werden weitergeleitet an',
    appOnDevice: 'eine App auf diesem Gerät ({host})',
    appThatOpens: 'die App auf diesem Gerät, die {address} öffnet',
    onDevice: 'eine App auf einem Gerät',
    anyAppOnDevice:
      'Jede App auf diesem Gerät kann sich als {client} ausgeben. Fahren Sie nur fort, wenn Sie die App selbst gestartet haben.',
    notChecked:
      '{tenant} hat diese App nicht geprüft. Erlauben Sie den Zugriff nur, wenn Sie die App gerade selbst gebeten haben, sich zu verbinden.',
    known:
      'Das ist {client} von {publisher}. {tenant} hat die App nicht geprüft. Erlauben Sie den Zugriff nur, wenn Sie die App gerade selbst gebeten haben, sich zu verbinden.',
    allow: 'Erlauben',
    deny: 'Ablehnen',
    end: 'Ende der Seite',
  },
  error: {
    title: 'Die Anmeldung hat nicht geklappt',
    noAnswer:
      'Jede App dieser Art hat eine Adresse, unter der wir sie nachschlagen. Diesmal hat diese Adresse nicht geantwortet. Mit Ihrem Konto ist alles in Ordnung.',
    tryAgain: 'Bitte versuchen Sie es gleich noch einmal.',
    repeat: 'Erneut versuchen',
    goBack: 'Bitte kehren Sie zu der App zurück, von der Sie gekommen sind, und verbinden Sie sie erneut.',
    notAllowed:
      '{tenant} erlaubt dieser App nicht, sich zu verbinden. Wenn Sie die App brauchen, fragen Sie bitte {tenant}.',
    unknownApp:
      'Diese App ist hier nicht bekannt. Bitte entfernen Sie die Verbindung in der App und stellen Sie sie neu her.',
    wrongAddress:
      'Die App will Sie an eine Adresse weiterleiten, die nicht zu ihr gehört. Das kann ein Betrugsversuch sein. Versuchen Sie es nicht noch einmal, sondern fragen Sie den Hersteller der App.',
    noCompany:
      'Unter dieser Adresse gibt es kein Unternehmen. Bitte prüfen Sie die Adresse, die Sie in der App eingegeben haben.',
    forDeveloper: 'Für den Hersteller der App: {error}',
  },
  connected: {
    title: 'Verbundene Apps',
    intro: 'Das haben Sie mit {tenant} verbunden:',
    none: 'Sie haben keine Apps mit {tenant} verbunden.',
    since: 'Verbunden',
    lastUsed: 'Zuletzt benutzt',
    destinations: 'Anmeldungen enden bei',
    may: 'Die App kann:',
    managed: 'Die Anmeldung von {tenant} hat diese App verbunden und kann sie wieder verbinden.',
    disconnect: 'Trennen',
    disconnectAll: 'Alle trennen',
    question: '{client} von {tenant} trennen?',
    questionAll: 'Alle Apps von {tenant} trennen?',
    effect: 'Der Zugriff endet spätestens in {time}. Sie können sich jederzeit wieder verbinden.',
    cancel: 'Abbrechen',
  },
  links: {
    privacy: 'Datenschutz',
    terms: 'Nutzungsbedingungen',
    imprint: 'Impressum',
    support: 'Hilfe',
    home: 'Zurück zu {tenant}',
  },
}
