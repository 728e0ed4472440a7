import type { Words } from '../words'

/** The words of the pages in Polish. */
export const polish: Words = {
  scopes: { profile: 'Poznać Twoją tożsamość' },
  consent: {
    question: 'Połączyć {client} z {tenant}?',
    confirm: 'Czy na pewno chcesz połączyć tę aplikację?',
    confirmTitle: 'Proszę potwierdzić: {question}',
    quote: '„{name}”',
    signedInAs: 'Zalogowano jako {customer}.',
    otherAccount: 'Użyj innego konta',
    scopes: 'Aplikacja {client} będzie mogła:',
    unused: 'Czas, po którym nieużywane połączenie wygasa: {time}.',
    lasts: 'Czas trwania połączenia: {time}.',
    disconnect: 'Możesz je zakończyć w każdej chwili na stronie {apps}.',
    publisher: 'Wydawca',
    destination: 'Cel przekierowania',
    appOnDevice: 'aplikacja na tym urządzeniu ({host})',
    appThatOpens: 'aplikacja na tym urządzeniu, która otwiera {address}',
    onDevice: 'aplikacja na urządzeniu',
    anyAppOnDevice:
      'Każda aplikacja na tym urządzeniu może podszyć się pod {client}. Kontynuuj tylko, jeśli aplikacja została uruchomiona przez Ciebie.',
    notChecked:
      'Firma {tenant} nie sprawdziła tej aplikacji. Zezwól na dostęp tylko, jeśli prośba o połączenie wyszła przed chwilą od Ciebie.',
    known:
      'To aplikacja {client} ze strony {publisher}. Firma {tenant} jej nie sprawdziła. Zezwól na dostęp tylko, jeśli prośba o połączenie wyszła przed chwilą od Ciebie.',
    allow: 'Zezwól',
    deny: 'Odmów',
    end: 'Koniec strony',
  },
  error: {
    title: 'Logowanie się nie powiodło',
    noAnswer:
      'Każda aplikacja tego rodzaju ma adres, pod którym sprawdzamy jej dane. Tym razem ten adres nie odpowiedział. Twoje konto jest w porządku.',
    tryAgain: 'Spróbuj ponownie za chwilę.',
    repeat: 'Spróbuj ponownie',
    goBack: 'Wróć do aplikacji, w której rozpoczęto logowanie, i połącz ją ponownie.',
    notAllowed:
      'Firma {tenant} nie zezwala na połączenie z tą aplikacją. Jeśli jest potrzebna, skontaktuj się z firmą {tenant}.',
    unknownApp: 'Ta aplikacja nie jest tu znana. Usuń połączenie w aplikacji i utwórz je ponownie.',
    wrongAddress:
      'Aplikacja chce przekierować Cię pod adres, który do niej nie należy. To może być próba oszustwa. Nie próbuj ponownie i skontaktuj się z twórcą aplikacji.',
    noCompany: 'Pod tym adresem nie ma żadnej firmy. Sprawdź adres podany w aplikacji.',
    forDeveloper: 'Dla twórcy aplikacji: {error}',
  },
  connected: {
    title: 'Połączone aplikacje',
    intro: 'Aplikacje połączone przez Ciebie z {tenant}:',
    none: 'Nie masz aplikacji połączonych z {tenant}.',
    since: 'Połączono',
    lastUsed: 'Ostatnio użyto',
    destinations: 'Logowania kończą się w',
    may: 'Aplikacja może:',
    managed: 'Tę aplikację połączyło logowanie {tenant} i może ją połączyć ponownie.',
    disconnect: 'Rozłącz',
    disconnectAll: 'Rozłącz wszystkie',
    question: 'Rozłączyć {client} z {tenant}?',
    questionAll: 'Rozłączyć wszystkie aplikacje z {tenant}?',
    effect: 'Dostęp wygaśnie najpóźniej za {time}. Możesz połączyć się ponownie w każdej chwili.',
    cancel: 'Anuluj',
  },
  links: {
    privacy: 'Prywatność',
    terms: 'Regulamin',
    imprint: 'Informacje prawne',
    support: 'Pomoc',
    home: 'Wróć na stronę {tenant}',
  },
}
