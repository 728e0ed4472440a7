import type { Words } from '../words'

/** The words of the pages in Italian. */
export const italian: Words = {
  scopes: { profile: 'Conoscere la Sua identità' },
  consent: {
    question: 'Collegare {client} a {tenant}?',
    confirm: 'Vuole davvero collegare questa app?',
    confirmTitle: 'Si prega di confermare: {question}',
    quote: '«{name}»',
    signedInAs: 'Ha effettuato l’accesso come {customer}.',
    otherAccount: 'Usa un altro account',
    scopes: '{client} potrà:',
    unused: 'Il collegamento termina se l’app non lo usa per {time}.',
    lasts: 'Il collegamento dura {time}.',
    disconnect: 'Può interromperlo in qualsiasi momento in {apps}.',
    publisher: 'Pubblicato da',
    destination: 'Il browser La porterà a',
    appOnDevice: 'un’app su questo dispositivo ({host})',
    appThatOpens: 'l’app su questo dispositivo che apre {address}',
    onDevice: 'un’app su un dispositivo',
    anyAppOnDevice:
      'Qualsiasi app su questo dispositivo può fingersi {client}. Prosegua solo se l’ha avviata personalmente.',
    notChecked: '{tenant} non ha verificato questa app. La autorizzi solo se le ha appena chiesto di collegarsi.',
    known:
      'Si tratta di {client}, di {publisher}. {tenant} non ha verificato questa app. La autorizzi solo se le ha appena chiesto di collegarsi.',
    allow: 'Consenti',
    deny: 'Rifiuta',
    end: 'Fine della pagina',
  },
  error: {
    title: 'L’accesso non è riuscito',
    noAnswer:
      'Ogni app di questo tipo ha un indirizzo al quale ne consultiamo i dati. Questa volta l’indirizzo non ha risposto. Il Suo account non ha alcun problema.',
    tryAgain: 'Riprovi tra un momento.',
    repeat: 'Riprova',
    goBack: 'Torni all’app di provenienza e la colleghi di nuovo.',
    notAllowed: '{tenant} non consente a questa app di collegarsi. Se ne ha bisogno, si rivolga a {tenant}.',
    unknownApp: 'Questa app non risulta registrata qui. Rimuova il collegamento nell’app e lo crei di nuovo.',
    wrongAddress:
      'L’app vuole portarLa a un indirizzo che non è tra i suoi. Potrebbe essere un tentativo di truffa. Non riprovi e si rivolga allo sviluppatore dell’app.',
    noCompany: 'A questo indirizzo non c’è nessuna azienda. Controlli l’indirizzo che ha inserito nell’app.',
    forDeveloper: 'Per lo sviluppatore dell’app: {error}',
  },
  connected: {
    title: 'App collegate',
    intro: 'Ciò che ha collegato a {tenant}:',
    none: 'Non ha collegato nessuna app a {tenant}.',
    since: 'Collegata',
    lastUsed: 'Ultimo utilizzo',
    destinations: 'Gli accessi terminano su',
    may: 'Può:',
    managed: 'L’accesso di {tenant} ha collegato questa app e può collegarla di nuovo.',
    disconnect: 'Scollega',
    disconnectAll: 'Scollega tutte',
    question: 'Scollegare {client} da {tenant}?',
    questionAll: 'Scollegare tutte le app da {tenant}?',
    effect: 'L’accesso termina al più tardi tra {time}. Può collegarsi di nuovo in qualsiasi momento.',
    cancel: 'Annulla',
  },
  links: {
    privacy: 'Informativa sulla privacy',
    terms: 'Termini di utilizzo',
    imprint: 'Note legali',
    support: 'Assistenza',
    home: 'Torna a {tenant}',
  },
}
