import type { Words } from '../words'

/** The words of the pages in Turkish. No suffix touches a name, because suffixes depend on the vowels in front of them. */
export const turkish: Words = {
  scopes: { profile: 'Kim olduğunuzu bilmek' },
  consent: {
    question: '{client} uygulaması {tenant} ile bağlansın mı?',
    confirm: 'Bu uygulamayı bağlamak istediğinizden emin misiniz?',
    confirmTitle: 'Lütfen onaylayın: {question}',
    quote: '“{name}”',
    signedInAs: '{customer} olarak oturum açtınız.',
    otherAccount: 'Başka bir hesap kullan',
    scopes: '{client} şunları yapabilecek:',
    unused: 'Uygulama {time} boyunca kullanmazsa bağlantı sona erer.',
    lasts: 'Bağlantı {time} sürer.',
    disconnect: 'Bağlantıyı istediğiniz zaman {apps} sayfasında kesebilirsiniz.',
    publisher: 'Yayımlayan',
    destination: 'Yönlendirileceğiniz yer',
    appOnDevice: 'bu cihazdaki bir uygulama ({host})',
    appThatOpens: 'bu cihazda {address} adreslerini açan uygulama',
    onDevice: 'bir cihazdaki uygulama',
    anyAppOnDevice:
      'Bu cihazdaki herhangi bir uygulama kendini {client} olarak gösterebilir. Yalnızca uygulamayı kendiniz başlattıysanız devam edin.',
    notChecked: '{tenant} bu uygulamayı denetlemedi. Yalnızca bağlanmasını az önce siz istediyseniz izin verin.',
    known:
      'Bu, {publisher} adresindeki {client} uygulamasıdır. {tenant} bu uygulamayı denetlemedi. Yalnızca bağlanmasını az önce siz istediyseniz izin verin.',
    allow: 'İzin ver',
    deny: 'Reddet',
    end: 'Sayfanın sonu',
  },
  error: {
    title: 'Oturum açılamadı',
    noAnswer:
      'Bu tür her uygulamanın, bilgilerine baktığımız bir adresi vardır. Bu adres bu kez yanıt vermedi. Hesabınızda bir sorun yok.',
    tryAgain: 'Lütfen birazdan yeniden deneyin.',
    repeat: 'Yeniden dene',
    goBack: 'Lütfen geldiğiniz uygulamaya dönün ve uygulamayı yeniden bağlayın.',
    notAllowed:
      '{tenant} bu uygulamanın bağlanmasına izin vermiyor. Uygulamaya ihtiyacınız varsa lütfen {tenant} ile görüşün.',
    unknownApp: 'Bu uygulama burada tanınmıyor. Lütfen uygulamadaki bağlantıyı kaldırın ve yeniden kurun.',
    wrongAddress:
      'Uygulama sizi kendisine ait olmayan bir adrese yönlendirmek istiyor. Bu bir dolandırıcılık girişimi olabilir. Yeniden denemeyin ve uygulamanın geliştiricisine danışın.',
    noCompany: 'Bu adreste bir şirket yok. Lütfen uygulamaya girdiğiniz adresi kontrol edin.',
    forDeveloper: 'Uygulamanın geliştiricisi için: {error}',
  },
  connected: {
    title: 'Bağlı uygulamalar',
    intro: '{tenant} ile bağladıklarınız:',
    none: '{tenant} ile hiçbir uygulama bağlamadınız.',
    since: 'Bağlandı',
    lastUsed: 'Son kullanım',
    destinations: 'Oturum açmaların bittiği yer',
    may: 'Şunları yapabilir:',
    managed: 'Bu uygulamayı {tenant} oturumu bağladı ve yeniden bağlayabilir.',
    disconnect: 'Bağlantıyı kes',
    disconnectAll: 'Tüm bağlantıları kes',
    question: '{client} uygulamasının {tenant} bağlantısı kesilsin mi?',
    questionAll: 'Tüm uygulamaların {tenant} bağlantısı kesilsin mi?',
    effect: 'Erişim en geç {time} içinde sona erer. İstediğiniz zaman yeniden bağlanabilirsiniz.',
    cancel: 'Vazgeç',
  },
  links: {
    privacy: 'Gizlilik',
    terms: 'Kullanım koşulları',
    imprint: 'Yasal bilgiler',
    support: 'Yardım',
    home: '{tenant} sitesine dön',
  },
}
